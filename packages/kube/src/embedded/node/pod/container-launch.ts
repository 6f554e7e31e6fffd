import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Container, Pod } from '../../../schema/kinds/pod.ts';
import type { Service } from '../../../schema/kinds/service.ts';
import { stableJson } from '../../controllers/stable-hash.ts';
import { type ConfigurationSource, containerEnvironment } from '../environment/container-environment.ts';
import { expand } from '../environment/expansion.ts';
import type { NodeAddresses } from '../environment/field-reference.ts';
import { serviceVariables } from '../environment/service-variables.ts';
import { findImage, type ImageCatalogue } from '../image-catalogue.ts';
import type { Launch, WorkloadUser } from '../process/container-process.ts';
import { memoryLimitOf } from './memory-limit.ts';

export interface LaunchInput {
  pod: Pod;
  container: Container;
  images: ImageCatalogue;
  addresses: NodeAddresses;
  listenPorts: Record<string, number>;
  source: ConfigurationSource;
  services: Service[];
  hostsFile: string;
  /** What stands for `/` of this container. */
  root: string;
  user: WorkloadUser | undefined;
}

/** Everything a container's process gets. Throws a ContainerConfigError that says what is missing. */
export function containerLaunch(input: LaunchInput): Launch {
  const { pod, container, root } = input;
  const image = findImage(input.images, container.image);
  const services = pod.spec.enableServiceLinks === false ? [] : input.services;
  const declared = containerEnvironment({ ...input, serviceVariables: serviceVariables(services) });
  const expanded = (words: string[]): string[] =>
    words.map((word) => expand(word, (name) => (Object.hasOwn(declared, name) ? declared[name] : undefined)));
  const command = container.command?.length ? expanded(container.command) : image.entrypoint;
  const defaults = container.command?.length ? [] : image.command;
  const parameters = container.args?.length ? expanded(container.args) : defaults;
  return {
    argv: [...command, ...parameters],
    environment: { ...imageEnvironment(input), ...image.env, ...declared },
    directory: container.workingDir ? join(root, container.workingDir) : root,
    user: input.user,
    declaration: declarationOf(container),
    image: container.image,
  };
}

/** Changes when the container must be another process. */
export function declarationOf(container: Container): string {
  return createHash('sha256').update(stableJson(container)).digest('hex').slice(0, 16);
}

/** What an image's own runtime relies on here, where in a container the kernel would do it. */
function imageEnvironment(input: LaunchInput): Record<string, string> {
  const { pod, container, root, addresses, listenPorts, hostsFile } = input;
  const memoryLimit = memoryLimitOf(container);
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: root,
    TMPDIR: join(root, 'tmp'),
    HOSTNAME: pod.spec.hostname ?? pod.metadata.name,
    LISTEN_ADDRESS: addresses.podIP,
    CLUSTER_ROOT: root,
    CLUSTER_HOSTS_FILE: hostsFile,
    CLUSTER_NAMESPACE: pod.metadata.namespace ?? 'default',
    ...(Object.keys(listenPorts).length > 0 ? { LISTEN_PORTS: JSON.stringify(listenPorts) } : {}),
    ...(memoryLimit === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${heapMib(memoryLimit)}` }),
  };
}

const MIB = 2 ** 20;

/** What Node itself takes in a container of this size: there it asks the kernel for the limit, here it would see the whole machine. */
function heapMib(limitBytes: number): number {
  return Math.max(1, Math.floor(limitBytes / 2 / MIB));
}
