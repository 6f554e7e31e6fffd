import { GROUP, VERSION } from '@berth/core/user-deployment';
import type { ResourceType } from '@berth/kube/schema/object';

/** The custom resources that Berth reads and writes, for both sides of the Kubernetes API. */
export const EXTERNAL_SECRETS_GROUP = 'external-secrets.io';
export const EXTERNAL_SECRETS_VERSION = 'v1';

export const USER_DEPLOYMENT: ResourceType = {
  group: GROUP,
  version: VERSION,
  kind: 'UserDeployment',
  plural: 'userdeployments',
  namespaced: true,
};

export const EXTERNAL_SECRET: ResourceType = {
  group: EXTERNAL_SECRETS_GROUP,
  version: EXTERNAL_SECRETS_VERSION,
  kind: 'ExternalSecret',
  plural: 'externalsecrets',
  namespaced: true,
};

export const SECRET_STORE: ResourceType = {
  group: EXTERNAL_SECRETS_GROUP,
  version: EXTERNAL_SECRETS_VERSION,
  kind: 'SecretStore',
  plural: 'secretstores',
  namespaced: true,
};
