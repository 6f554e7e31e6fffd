import type { KubeObject } from '../../../schema/object.ts';
import { NODE } from '../../../schema/resources.ts';
import type { Kind } from '../kind.ts';
import { at, defineKind, orNone, text } from './define.ts';
import { list } from './pod-defaults.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';

export const node: Kind = defineKind(NODE, {
  schema: 'io.k8s.api.core.v1.Node',
  status: true,
  shortNames: ['no'],
  columns: [text('Status', statusText), text('Roles', rolesOf)],
  wide: [
    text('Version', (object) => at(object, 'status', 'nodeInfo', 'kubeletVersion') ?? ''),
    text('Internal-IP', (object) => orNone(addressOf(object, 'InternalIP')), true),
    text('External-IP', (object) => orNone(addressOf(object, 'ExternalIP')), true),
    text('OS-Image', (object) => at(object, 'status', 'nodeInfo', 'osImage') ?? '<unknown>', true),
    text('Kernel-Version', (object) => at(object, 'status', 'nodeInfo', 'kernelVersion') ?? '<unknown>', true),
    text(
      'Container-Runtime',
      (object) => at(object, 'status', 'nodeInfo', 'containerRuntimeVersion') ?? '<unknown>',
      true,
    ),
  ],
  selectable: (object) => ({ 'spec.unschedulable': String(at(object, 'spec', 'unschedulable') ?? false) }),
  strategy: {
    defaults: (object) => {
      object.spec ??= {};
      const status = object.status as { capacity?: object; allocatable?: object } | undefined;
      if (status?.capacity) status.allocatable ??= status.capacity;
    },
  },
});

function statusText(object: KubeObject): string {
  const ready = list(at(object, 'status', 'conditions')).find(({ type }) => type === 'Ready');
  const words = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'];
  if (at(object, 'spec', 'unschedulable')) words.push('SchedulingDisabled');
  return words.join(',');
}

function rolesOf({ metadata }: KubeObject): unknown {
  const roles = Object.keys(metadata.labels ?? {})
    .filter((label) => label.startsWith(ROLE_PREFIX))
    .map((label) => label.slice(ROLE_PREFIX.length));
  return orNone(roles.sort().join(','));
}

function addressOf(object: KubeObject, kind: string): unknown {
  return list(at(object, 'status', 'addresses')).find(({ type }) => type === kind)?.address;
}
