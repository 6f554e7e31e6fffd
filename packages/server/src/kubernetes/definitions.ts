import { type CustomResourceDefinition, userDeploymentDefinition } from '@berth/core/crd';
import type { KubeClient } from '@berth/kube/client/client';
import { type Clock, delay, systemClock } from '@berth/kube/client/clock';
import type { KubeObject } from '@berth/kube/schema/object';
import { CUSTOM_RESOURCE_DEFINITION } from '@berth/kube/schema/resources';
import { isKubeError, KubeError } from '@berth/kube/schema/status';
import { externalSecretDefinition, secretStoreDefinition } from './external-secrets-definitions.ts';

/**
 * Installs what the cluster must know before anything else works. Applied server-side by one field manager, so that what
 * others added to a definition stays. Two servers of different age on one cluster: the newer definition wins, since its
 * version is on it and a lower one is never applied over a higher.
 */
export const DEFINITIONS_MANAGER = 'berth-definitions';
const DEFINITION_VERSION = 2;
const VERSION_ANNOTATION = 'berth.dev/definition-version';
const POLL_MS = 100;
const ESTABLISHED_WITHIN_MS = 30_000;

export interface InstallOptions {
  /** `never` where External Secrets is installed by somebody else, maybe later. */
  externalSecrets: 'install-if-missing' | 'never';
  clock?: Clock;
}

export async function installDefinitions(
  client: Pick<KubeClient, 'get' | 'apply'>,
  { externalSecrets, clock = systemClock }: InstallOptions,
): Promise<void> {
  await install(client, userDeploymentDefinition(), 'ours');
  if (externalSecrets === 'install-if-missing') {
    await install(client, externalSecretDefinition(), 'only when missing');
    await install(client, secretStoreDefinition(), 'only when missing');
  }
  const names = [userDeploymentDefinition(), externalSecretDefinition(), secretStoreDefinition()].map(nameOf);
  const wanted = externalSecrets === 'never' ? names.slice(0, 1) : names;
  const deadline = clock.monotonic() + ESTABLISHED_WITHIN_MS;
  for (const name of wanted) await waitUntilEstablished(client, name, { clock, deadline });
}

/** Whether all are there, in whatever version. */
export async function hasDefinitions(client: Pick<KubeClient, 'get'>): Promise<boolean> {
  const names = [userDeploymentDefinition(), externalSecretDefinition(), secretStoreDefinition()].map(nameOf);
  const found = await Promise.all(names.map((name) => find(client, name)));
  return found.every((each) => each !== undefined);
}

async function install(
  client: Pick<KubeClient, 'get' | 'apply'>,
  definition: CustomResourceDefinition,
  whose: 'ours' | 'only when missing',
): Promise<void> {
  const present = await find(client, nameOf(definition));
  const version = present?.metadata.annotations?.[VERSION_ANNOTATION];
  // One without our mark was installed by External Secrets itself.
  if (present && whose === 'only when missing' && version === undefined) return;
  if (Number(version ?? 0) > DEFINITION_VERSION) return;
  const marked = {
    ...definition,
    metadata: { ...definition.metadata, annotations: { [VERSION_ANNOTATION]: String(DEFINITION_VERSION) } },
  };
  await client.apply(CUSTOM_RESOURCE_DEFINITION, marked as unknown as KubeObject, {
    fieldManager: DEFINITIONS_MANAGER,
    force: true,
  });
}

async function waitUntilEstablished(
  client: Pick<KubeClient, 'get'>,
  name: string,
  { clock, deadline }: { clock: Clock; deadline: number },
): Promise<void> {
  for (;;) {
    const present = await find(client, name);
    const status = present?.status as { conditions?: { type: string; status: string; message?: string }[] } | undefined;
    if (status?.conditions?.some((each) => each.type === 'Established' && each.status === 'True')) return;
    if (clock.monotonic() > deadline) {
      const refusal = status?.conditions?.find((each) => each.type === 'NamesAccepted' && each.status === 'False');
      const why = refusal?.message ?? 'the API server has not established it';
      throw new KubeError(504, 'Timeout', `the definition ${name} is not usable: ${why}`);
    }
    await delay(clock, POLL_MS);
  }
}

async function find(client: Pick<KubeClient, 'get'>, name: string): Promise<KubeObject | undefined> {
  try {
    return await client.get(CUSTOM_RESOURCE_DEFINITION, { name });
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function nameOf(definition: CustomResourceDefinition): string {
  return definition.metadata.name;
}
