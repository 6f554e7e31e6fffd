import { labelValue, serviceObjectName } from '@berth/core/names';
import type { Workload } from './workload.ts';

/**
 * The labels that other tools group and show by. Of a service `db` of the deployment `shop` that runs `berth.dev/postgres:18`:
 *
 *     app.kubernetes.io/part-of      shop        the deployment
 *     app.kubernetes.io/component    db          its service or job
 *     app.kubernetes.io/instance     shop-db     unique in the namespace
 *     app.kubernetes.io/name         postgres    the program, as its image is called
 *     app.kubernetes.io/version      18          where the image has a tag
 *
 * They select nothing: what selects pods never changes, and these do.
 */
const PREFIX = 'app.kubernetes.io';

export function partLabels(deployment: string, component?: string): Record<string, string> {
  const instance = component === undefined ? deployment : serviceObjectName(deployment, component);
  return {
    [`${PREFIX}/part-of`]: deployment,
    [`${PREFIX}/instance`]: instance,
    ...(component !== undefined && { [`${PREFIX}/component`]: component }),
  };
}

export function podLabels(
  deployment: string,
  { name, image }: Pick<Workload, 'name' | 'image'>,
): Record<string, string> {
  const { program, tag } = partsOf(image);
  return {
    ...partLabels(deployment, name),
    ...(program !== '' && { [`${PREFIX}/name`]: labelValue(program) }),
    ...(tag !== undefined && { [`${PREFIX}/version`]: labelValue(tag) }),
  };
}

/** `registry:5000/team/app:1.2@sha256:...` is `app` and `1.2`. */
function partsOf(image: string): { program: string; tag: string | undefined } {
  const [reference = ''] = image.split('@');
  const last = reference.slice(reference.lastIndexOf('/') + 1);
  const [program = '', tag] = last.split(':');
  return { program, tag: tag || undefined };
}
