import { volumeClaimName } from '@berth/core/names';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Child, Owner } from './child.ts';
import { configMapOf } from './config-map.ts';
import { deploymentOf } from './deployment.ts';
import { externalSecretOf } from './external-secret.ts';
import { type IngressOptions, ingressOf } from './ingress.ts';
import { networkPolicyOf } from './network-policy.ts';
import { serviceOf } from './service.ts';
import { volumeClaimOf } from './volume-claim.ts';

export interface Wanted {
  owner: Owner;
  spec: UserDeploymentSpec;
  grantedHosts: readonly string[];
  /** What each claim that exists asks for, by name. */
  claimSizes: ReadonlyMap<string, string>;
  options: IngressOptions;
}

/**
 * Everything that a deployment wants, in the order in which it is made: isolation before anything runs, what pods need
 * before pods, the public address last.
 */
export function desiredChildren({ owner, spec, grantedHosts, claimSizes, options }: Wanted): Child[] {
  const { services, exposure = [], secretVersion } = spec;
  const children = [
    networkPolicyOf(owner, spec),
    ...services.flatMap((service) =>
      (service.volumes ?? []).map((volume) => {
        const currentSize = claimSizes.get(volumeClaimName(owner.name, service.name, volume.name));
        return volumeClaimOf(owner, { service, volume, currentSize });
      }),
    ),
    ...services.map((service) => configMapOf(owner, service)),
    ...services.map((service) => externalSecretOf(owner, service, secretVersion)),
    ...services.map((service) => serviceOf(owner, service)),
    ...services.map((service) => deploymentOf(owner, service, spec)),
    ingressOf(owner, { exposure, grantedHosts, options }),
  ];
  return children.filter((child) => child !== undefined);
}
