import type { UserDeploymentSpec, UserDeploymentStatus } from '@berth/core/user-deployment';
import type { KubeObject } from '@berth/kube/schema/object';

/**
 * A `UserDeployment` as the API server returns it. The CRD has checked its structure; rules that only
 * `userDeploymentSpecSchema` knows (a port that no service has) have not been checked yet.
 */
export interface UserDeployment extends KubeObject {
  spec: UserDeploymentSpec;
  status?: UserDeploymentStatus;
}
