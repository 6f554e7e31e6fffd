import { isDeepStrictEqual } from 'node:util';
import type { Service } from '@berth/core/service';
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
    ...container(service),
    ports: by(service.ports, 'name'),
    volumes: by(service.volumes, 'name'),
  }));
  const exposure = spec.exposure?.map((each) => ({ ...each, paths: by(each.paths, 'path') }));
  return JSON.parse(
    // The round trip drops what is undefined: absent and undefined are the same here.
    JSON.stringify({
      ...spec,
      services: by(services, 'name'),
      jobs: by(spec.jobs?.map(container), 'name'),
      exposure: by(exposure, 'host'),
    }),
  );
}

function container<T extends Pick<Service, 'env' | 'files'>>(workload: T): T {
  return { ...workload, env: by(workload.env, 'name'), files: by(workload.files, 'path') };
}

function by<T, K extends keyof T>(items: readonly T[] | undefined, key: K): T[] | undefined {
  return items && [...items].sort((a, b) => (String(a[key]) < String(b[key]) ? -1 : 1));
}
