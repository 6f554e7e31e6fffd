import { chown, cp, lstat, mkdir, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Container, Pod, Volume, VolumeMount } from '../../../schema/kinds/pod.ts';
import { ContainerConfigError } from '../environment/container-config-error.ts';
import { expand } from '../environment/expansion.ts';
import type { WorkloadUser } from '../process/container-process.ts';
import { writeAtomically } from './atomic-directory.ts';
import { type VolumeInput, volumeFiles } from './volume-files.ts';

/** What finds the folder of a claim, or says why it is not there yet. */
export type ClaimDirectory = (namespace: string, claim: string) => string;

export interface PodVolumesInput extends VolumeInput {
  /** Folder of the pod's own volumes. */
  directory: string;
  user: WorkloadUser | undefined;
  claimDirectory: ClaimDirectory;
}

/** Makes every volume of a pod, and brings those made of API objects up to date. Folder by name of the volume. */
export async function preparePodVolumes(input: PodVolumesInput): Promise<Map<string, string>> {
  const directories = new Map<string, string>();
  for (const volume of input.pod.spec.volumes ?? []) directories.set(volume.name, await prepare(input, volume));
  return directories;
}

async function prepare(input: PodVolumesInput, volume: Volume): Promise<string> {
  const own = join(input.directory, volume.name);
  const files = volumeFiles(input, volume);
  if (files) {
    await writeAtomically(own, files, input.user);
    return own;
  }
  if (volume.emptyDir) return makeFolder(own, input.user);
  if (volume.persistentVolumeClaim) {
    const claim = volume.persistentVolumeClaim.claimName;
    return makeFolder(input.claimDirectory(input.pod.metadata.namespace ?? '', claim), input.user);
  }
  const kind = Object.keys(volume).find((field) => field !== 'name') ?? 'without a source';
  throw new ContainerConfigError(
    `volume ${volume.name}: ${kind} is not supported by this node; it has configMap, secret, downwardAPI, projected, emptyDir and persistentVolumeClaim`,
    'FailedMount',
  );
}

/** Owned by whoever runs the workloads; nobody else on the machine may look in. */
export async function makeFolder(path: string, user: WorkloadUser | undefined): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (user) await chown(path, user.uid, user.gid);
  return path;
}

/**
 * Links a container's mounts under its root: there is no mount namespace here, so `/data` of the container is `<root>/data`.
 * A subPath of a volume made of API objects is a copy, as it does not follow updates in Kubernetes either.
 */
export async function linkMounts(
  input: Pick<PodVolumesInput, 'pod' | 'user'>,
  container: Container,
  at: { root: string; volumes: Map<string, string>; environment: Record<string, string> },
): Promise<void> {
  const mounts = [...(container.volumeMounts ?? [])].sort((a, b) => a.mountPath.length - b.mountPath.length);
  refuseNested(mounts);
  await makeFolder(at.root, input.user);
  for (const mount of mounts) {
    const volume = at.volumes.get(mount.name);
    if (!volume) throw new ContainerConfigError(`volumeMount ${mount.name}: the pod has no such volume`);
    const path = inside(at.root, mount.mountPath);
    await makeParents(at.root, dirname(path), input.user);
    await place({ mount, volume, path, copies: isMadeOfObjects(input.pod, mount.name), user: input.user, at });
  }
}

interface Placement {
  mount: VolumeMount;
  volume: string;
  path: string;
  copies: boolean;
  user: WorkloadUser | undefined;
  at: { environment: Record<string, string> };
}

async function place({ mount, volume, path, copies, user, at }: Placement): Promise<void> {
  const subPath = mount.subPath ?? (mount.subPathExpr ? expand(mount.subPathExpr, (name) => at.environment[name]) : '');
  const target = subPath ? inside(volume, subPath) : volume;
  if (subPath && copies) {
    await rm(path, { recursive: true, force: true });
    const source = await realpath(target).catch(() => {
      throw new ContainerConfigError(`volumeMount ${mount.name}: the volume has no "${subPath}"`);
    });
    await cp(source, path, { recursive: true, dereference: true });
    if (user) await chown(path, user.uid, user.gid);
    return;
  }
  if (subPath && !(await exists(target))) await makeFolder(target, user);
  if ((await readlink(path).catch(() => undefined)) === target) return;
  await rm(path, { recursive: true, force: true });
  await symlink(target, path);
}

/** Two mounts of which one lies in the other would write into the outer volume, since these are links. */
function refuseNested(mounts: VolumeMount[]): void {
  for (const outer of mounts) {
    const inner = mounts.find(
      (one) => one !== outer && one.mountPath.startsWith(`${outer.mountPath.replace(/\/$/, '')}/`),
    );
    if (inner) {
      throw new ContainerConfigError(
        `mount ${inner.mountPath} lies inside mount ${outer.mountPath}, which this node cannot do; mount them side by side`,
      );
    }
  }
}

function isMadeOfObjects(pod: Pod, name: string): boolean {
  const volume = pod.spec.volumes?.find((one) => one.name === name);
  return Boolean(volume?.configMap ?? volume?.secret ?? volume?.downwardAPI ?? volume?.projected);
}

function inside(root: string, path: string): string {
  const found = resolve(root, `.${sep}${path}`);
  if (found === root || found.startsWith(`${root}${sep}`)) return found;
  throw new ContainerConfigError(`the path "${path}" leads out of its volume or container`);
}

async function makeParents(root: string, directory: string, user: WorkloadUser | undefined): Promise<void> {
  if (directory === root || !directory.startsWith(root)) return;
  await makeParents(root, dirname(directory), user);
  if (!(await exists(directory))) await makeFolder(directory, user);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
