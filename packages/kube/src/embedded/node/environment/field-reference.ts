import { cpus, totalmem } from 'node:os';
import type { Container, Pod } from '../../../schema/kinds/pod.ts';
import { quantityNumber } from '../../../schema/quantity.ts';

export interface NodeAddresses {
  nodeName: string;
  hostIP: string;
  podIP: string;
}

/** The value of `valueFrom.fieldRef` or of a downward API file; undefined for a path that names nothing. */
export function fieldValue(pod: Pod, path: string, addresses: NodeAddresses): string | undefined {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed) return pod.metadata[keyed[1] as 'labels' | 'annotations']?.[keyed[2] ?? ''] ?? '';
  switch (path) {
    case 'metadata.name':
      return pod.metadata.name;
    case 'metadata.namespace':
      return pod.metadata.namespace ?? '';
    case 'metadata.uid':
      return pod.metadata.uid ?? '';
    case 'metadata.labels':
      return lines(pod.metadata.labels);
    case 'metadata.annotations':
      return lines(pod.metadata.annotations);
    case 'spec.nodeName':
      return pod.spec.nodeName ?? addresses.nodeName;
    case 'spec.serviceAccountName':
      return pod.spec.serviceAccountName ?? 'default';
    case 'status.hostIP':
    case 'status.hostIPs':
      return addresses.hostIP;
    case 'status.podIP':
    case 'status.podIPs':
      return addresses.podIP;
    default:
      return undefined;
  }
}

/** One `key="value"` a line, quoted so that a value with a newline stays one line. */
function lines(map: Record<string, string> = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n');
}

/** `limits.cpu` and its kin in units of the divisor, rounded up; without a limit it is what the machine has. */
export function resourceValue(
  container: Container,
  reference: { resource: string; divisor?: string },
): string | undefined {
  const match = /^(limits|requests)\.(cpu|memory|ephemeral-storage)$/.exec(reference.resource);
  if (!match) return undefined;
  const [, kind, resource = ''] = match;
  const { requests = {}, limits = {} } = container.resources ?? {};
  const declared = kind === 'limits' ? limits[resource] : (requests[resource] ?? limits[resource] ?? '0');
  const amount = declared === undefined ? machineAmount(resource) : quantityNumber(declared);
  const divisor = quantityNumber(reference.divisor ?? '1') || 1;
  return String(Math.ceil(amount / divisor));
}

function machineAmount(resource: string): number {
  if (resource === 'cpu') return cpus().length;
  return resource === 'memory' ? totalmem() : 0;
}
