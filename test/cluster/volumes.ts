import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createController } from '@berth/kube/client/controller';
import { createKubeClient } from '@berth/kube/client/http-client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import type { Logger } from '@berth/kube/client/logger';
import { createReflector } from '@berth/kube/client/reflector';
import { objectKey } from '@berth/kube/schema/object';
import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import { type Claim, isToBeMade, isToBeRemoved, isToGrow, type Volume, volumeName, volumeOf } from './volume.ts';

/**
 * The part `volumes`: a directory of the node for each claim of the class `standard`. As on a new disk it belongs to root, so that a pod that
 * sets no fsGroup cannot write to it here either. Sizes are taken at their word; no directory is limited.
 */
const [kubeconfig, node, root] = process.argv.slice(2) as [string, string, string];

const logger = consoleLogger({});
const client = createKubeClient(await loadKubeConfig({ path: kubeconfig }));
const claims = createReflector<Claim>({ client, logger, type: PERSISTENT_VOLUME_CLAIM });
const volumes = createReflector<Volume>({ client, logger, type: PERSISTENT_VOLUME });

const controllers = [
  createController({ name: 'claims', logger, reconcile: reconcileClaim }).watches(claims, (claim) => [
    objectKey(claim),
  ]),
  createController({ name: 'volumes', logger, reconcile: reconcileVolume }).watches(volumes, (volume) => [
    objectKey(volume),
  ]),
];
await Promise.all(controllers.map((controller) => controller.start()));

async function reconcileClaim(key: string): Promise<void> {
  const claim = claims.get(key);
  if (!claim) return;
  if (isToBeMade(claim)) await makeVolume(claim);
  else if (isToGrow(claim)) await growVolume(claim);
}

async function makeVolume(claim: Claim): Promise<void> {
  const path = join(root, volumeName(claim));
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
  try {
    await client.create(PERSISTENT_VOLUME, volumeOf(claim, { node, path }));
  } catch (error) {
    // Made by an earlier try whose answer was lost.
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
}

/** The volume first: a claim must not say more than there is. */
async function growVolume(claim: Claim): Promise<void> {
  const { storage } = claim.spec.resources.requests;
  const { name, namespace } = claim.metadata;
  const capacity = { storage };
  await client.patch(PERSISTENT_VOLUME, { name: volumeName(claim) }, { type: 'merge', body: { spec: { capacity } } });
  const grown = { type: 'merge' as const, body: { status: { capacity, conditions: [] } } };
  await client.patch(PERSISTENT_VOLUME_CLAIM, { name, namespace }, grown, { subresource: 'status' });
}

/** The directory first: without the object nobody would know of it any more. */
async function reconcileVolume(key: string): Promise<void> {
  const volume = volumes.get(key);
  if (!volume || !isToBeRemoved(volume)) return;
  await rm(volume.spec.local!.path, { recursive: true, force: true });
  await client.delete(PERSISTENT_VOLUME, { name: volume.metadata.name });
}

function consoleLogger(base: Record<string, unknown>): Logger {
  const write = (level: string) => (fields: object, message: string) => {
    const problem = 'err' in fields && fields.err instanceof Error ? { err: fields.err.message } : {};
    console.log(JSON.stringify({ time: new Date().toISOString(), level, message, ...base, ...fields, ...problem }));
  };
  return {
    debug: () => undefined,
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => consoleLogger({ ...base, ...fields }),
  };
}
