import { isDeepStrictEqual } from 'node:util';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';

/**
 * Whether two specs mean the same. Lists that the custom resource declares as maps have no order of their own: server-side
 * apply may return them in another one.
 */
export function sameSpec(a: UserDeploymentSpec, b: UserDeploymentSpec): boolean {
  return isDeepStrictEqual(ordered(a), ordered(b));
}

function ordered(spec: UserDeploymentSpec): unknown {
  const services = spec.services.map((service) => ({
    ...service,
    env: by(service.env, 'name'),
    files: by(service.files, 'path'),
    ports: by(service.ports, 'name'),
    volumes: by(service.volumes, 'name'),
  }));
  // The round trip drops what is undefined: absent and undefined are the same here.
  return JSON.parse(JSON.stringify({ ...spec, services: by(services, 'name'), exposure: by(spec.exposure, 'host') }));
}

function by<T, K extends keyof T>(items: readonly T[] | undefined, key: K): T[] | undefined {
  return items && [...items].sort((a, b) => (String(a[key]) < String(b[key]) ? -1 : 1));
}
