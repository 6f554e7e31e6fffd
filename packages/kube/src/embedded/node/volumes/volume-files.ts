import type { DownwardItem, KeyToPath, Pod, Volume } from '../../../schema/kinds/pod.ts';
import { ContainerConfigError } from '../environment/container-config-error.ts';
import type { ConfigurationSource } from '../environment/container-environment.ts';
import { fieldValue, type NodeAddresses, resourceValue } from '../environment/field-reference.ts';
import { decodeData } from '../environment/object-data.ts';
import type { VolumeFile } from './atomic-directory.ts';

export interface VolumeInput {
  pod: Pod;
  source: ConfigurationSource;
  addresses: NodeAddresses;
}

type Files = Map<string, VolumeFile>;

const DEFAULT_MODE = 0o644;

/** The files of a volume that is made of API objects; undefined for the other kinds of volume. */
export function volumeFiles(input: VolumeInput, volume: Volume): Files | undefined {
  if (volume.configMap) return objectFiles(input, { ...volume.configMap, kind: 'configmap' });
  if (volume.secret) return objectFiles(input, { ...volume.secret, name: volume.secret.secretName, kind: 'secret' });
  if (volume.downwardAPI) return downwardFiles(input, volume.downwardAPI);
  if (volume.projected) return projectedFiles(input, volume.projected);
  return undefined;
}

function projectedFiles(input: VolumeInput, projected: NonNullable<Volume['projected']>): Files {
  const files: Files = new Map();
  for (const source of projected.sources ?? []) {
    const { defaultMode } = projected;
    const unknown = Object.keys(source).find((kind) => !['configMap', 'secret', 'downwardAPI'].includes(kind));
    if (unknown)
      throw new ContainerConfigError(`projected source ${unknown} is not supported by this node`, 'FailedMount');
    const part = volumeFiles(input, {
      name: '',
      ...(source.configMap ? { configMap: { ...source.configMap, defaultMode } } : {}),
      ...(source.secret ? { secret: { ...source.secret, secretName: source.secret.name, defaultMode } } : {}),
      ...(source.downwardAPI ? { downwardAPI: { ...source.downwardAPI, defaultMode } } : {}),
    } as Volume);
    for (const [path, file] of part ?? []) files.set(path, file);
  }
  return files;
}

interface ObjectVolume {
  kind: 'configmap' | 'secret';
  name: string;
  items?: KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
}

function objectFiles(input: VolumeInput, volume: ObjectVolume): Files {
  const object = volume.kind === 'secret' ? input.source.secret(volume.name) : input.source.configMap(volume.name);
  if (!object && !volume.optional)
    throw new ContainerConfigError(`${volume.kind} "${volume.name}" not found`, 'FailedMount');
  const values = object ? decodeData(object) : {};
  const items = volume.items ?? Object.keys(values).map((key): KeyToPath => ({ key, path: key }));
  const files: Files = new Map();
  for (const { key, path, mode } of items) {
    const data = values[key];
    if (data) files.set(checkedPath(path), { data, mode: mode ?? volume.defaultMode ?? DEFAULT_MODE });
    else if (!volume.optional) {
      throw new ContainerConfigError(`${volume.kind} "${volume.name}" has no key "${key}"`, 'FailedMount');
    }
  }
  return files;
}

function downwardFiles(input: VolumeInput, volume: { items?: DownwardItem[]; defaultMode?: number }): Files {
  const files: Files = new Map();
  for (const item of volume.items ?? []) {
    const value = downwardValue(input, item);
    if (value === undefined) {
      const what = item.fieldRef?.fieldPath ?? item.resourceFieldRef?.resource;
      throw new ContainerConfigError(`downwardAPI item ${item.path}: "${what}" is not supported`, 'FailedMount');
    }
    files.set(checkedPath(item.path), {
      data: Buffer.from(value),
      mode: item.mode ?? volume.defaultMode ?? DEFAULT_MODE,
    });
  }
  return files;
}

function downwardValue(input: VolumeInput, item: DownwardItem): string | undefined {
  if (item.fieldRef) return fieldValue(input.pod, item.fieldRef.fieldPath, input.addresses);
  const reference = item.resourceFieldRef;
  const container = input.pod.spec.containers.find(({ name }) => name === reference?.containerName);
  return reference && container ? resourceValue(container, reference) : undefined;
}

/** A path leads into the volume and nowhere else. */
function checkedPath(path: string): string {
  const parts = path.split('/');
  if (path !== '' && !path.startsWith('/') && !parts.includes('..') && !path.startsWith('..')) return path;
  throw new ContainerConfigError(`the path "${path}" leads out of the volume`, 'FailedMount');
}
