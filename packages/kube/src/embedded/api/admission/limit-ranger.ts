import type { KubeObject } from '../../../schema/object.ts';
import { compareQuantities } from '../../../schema/quantity.ts';
import { forbidden } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { at } from '../kinds/define.ts';
import { list } from '../kinds/pod-defaults.ts';
import type { AdmissionPlugin } from './admission.ts';

type Amounts = Record<string, string>;
type Limit = { type?: string; min?: Amounts; max?: Amounts; default?: Amounts; defaultRequest?: Amounts };

/** What one container or claim may ask for, and what it gets when it does not say. */
export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  mutate(kind, object, old, { view }) {
    if (old || !isPod(kind)) return;
    for (const limit of limitsOf(view.list('limitranges', object.metadata.namespace), 'Container')) {
      for (const container of containersOf(object)) fillIn(container, limit);
    }
  },
  validate(kind, object, old, { view }) {
    if (old && isPod(kind)) return;
    const ranges = view.list('limitranges', object.metadata.namespace);
    const errors = isPod(kind)
      ? limitsOf(ranges, 'Container').flatMap((limit) =>
          containersOf(object).flatMap((container) =>
            outside(container.resources as Record<string, Amounts>, limit, 'Container'),
          ),
        )
      : kind.plural === 'persistentvolumeclaims' && kind.group === ''
        ? limitsOf(ranges, 'PersistentVolumeClaim').flatMap((limit) =>
            outside(
              { requests: at(object, 'spec', 'resources', 'requests') as Amounts },
              limit,
              'PersistentVolumeClaim',
            ),
          )
        : [];
    if (errors.length > 0)
      throw forbidden(kind, object.metadata.name, errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]`);
  },
};

function isPod({ group, plural }: Kind): boolean {
  return group === '' && plural === 'pods';
}

function containersOf(pod: KubeObject): Record<string, unknown>[] {
  return [...list(at(pod, 'spec', 'initContainers')), ...list(at(pod, 'spec', 'containers'))];
}

function limitsOf(ranges: { object: KubeObject }[], type: string): Limit[] {
  return ranges
    .flatMap(({ object }) => list(at(object, 'spec', 'limits')) as Limit[])
    .filter((limit) => limit.type === type);
}

function fillIn(container: Record<string, unknown>, limit: Limit): void {
  const resources = (container.resources ?? {}) as { limits?: Amounts; requests?: Amounts };
  const limits = { ...limit.default, ...resources.limits };
  const requests = { ...limit.defaultRequest, ...resources.requests };
  if (Object.keys(limits).length > 0) resources.limits = limits;
  if (Object.keys(requests).length > 0) resources.requests = requests;
  container.resources = resources;
}

function outside(
  resources: Record<string, Amounts | undefined> | undefined,
  { min, max }: Limit,
  type: string,
): string[] {
  const errors: string[] = [];
  for (const [name, least] of Object.entries(min ?? {})) {
    const asked = resources?.requests?.[name];
    if (asked === undefined) errors.push(`minimum ${name} usage per ${type} is ${least}. No request is specified`);
    else if (compareQuantities(asked, least) < 0)
      errors.push(`minimum ${name} usage per ${type} is ${least}, but request is ${asked}`);
  }
  for (const [name, most] of Object.entries(max ?? {})) {
    const part = type === 'PersistentVolumeClaim' ? 'requests' : 'limits';
    const asked = resources?.[part]?.[name];
    const word = part === 'limits' ? 'limit' : 'request';
    if (asked === undefined) errors.push(`maximum ${name} usage per ${type} is ${most}. No limit is specified`);
    else if (compareQuantities(asked, most) > 0)
      errors.push(`maximum ${name} usage per ${type} is ${most}, but ${word} is ${asked}`);
  }
  return errors;
}
