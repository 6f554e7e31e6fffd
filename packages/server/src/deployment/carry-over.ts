import type { UserDeploymentSpec } from '@berth/core/user-deployment';

/**
 * What of today's spec no form and no earlier revision decides: whether it runs, whether updates wait, when pods were last asked to
 * restart, and which values of secrets they have.
 */
export function carryOver(spec: UserDeploymentSpec, today: UserDeploymentSpec): UserDeploymentSpec {
  const restarts = new Map(today.services.map(({ name, restartedAt }) => [name, restartedAt]));
  const { desired: _desired, paused: _paused, restartedAt: _restarted, secretVersion: _version, ...rest } = spec;
  return {
    ...rest,
    ...(today.desired && { desired: today.desired }),
    ...(today.paused && { paused: true }),
    ...(today.restartedAt !== undefined && { restartedAt: today.restartedAt }),
    ...(today.secretVersion !== undefined && { secretVersion: today.secretVersion }),
    services: spec.services.map(({ restartedAt: _old, ...service }) => {
      const restartedAt = restarts.get(service.name);
      return restartedAt === undefined ? service : { ...service, restartedAt };
    }),
  };
}
