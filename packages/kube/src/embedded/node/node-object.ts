import { arch, cpus, hostname, platform, release, totalmem } from 'node:os';
import type { KubeObject } from '../../schema/object.ts';
import { timestamp } from '../controllers/controller-context.ts';
import { stableJson } from '../controllers/stable-hash.ts';
import { hasProcessTable } from './process/process-table.ts';

export interface NodeFacts {
  name: string;
  address: string;
  images: string[];
  now: number;
}

/** The Node as this machine is. */
export function nodeObject({ name }: Pick<NodeFacts, 'name'>): KubeObject {
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': platform(),
    'kubernetes.io/arch': arch() === 'x64' ? 'amd64' : arch(),
    'node-role.kubernetes.io/control-plane': '',
  };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} };
}

export function nodeStatus(facts: NodeFacts, before: KubeObject): Record<string, unknown> {
  const amount = capacity();
  return {
    capacity: amount,
    allocatable: amount,
    addresses: [
      { type: 'InternalIP', address: facts.address },
      { type: 'Hostname', address: facts.name },
    ],
    conditions: CONDITIONS.map(([type, status, reason, message]) => {
      const lastHeartbeatTime = timestamp(facts.now);
      const earlier = conditionsOf(before).find((one) => one.type === type && one.status === status);
      return {
        type,
        status,
        reason,
        message,
        lastHeartbeatTime,
        lastTransitionTime: earlier?.lastTransitionTime ?? lastHeartbeatTime,
      };
    }),
    images: facts.images.map((image) => ({ names: [image], sizeBytes: 0 })),
    nodeInfo: {
      architecture: arch() === 'x64' ? 'amd64' : arch(),
      bootID: '',
      containerRuntimeVersion: 'process://1',
      kernelVersion: release(),
      kubeProxyVersion: '',
      kubeletVersion: 'v1.34.0-embedded',
      machineID: hostname(),
      operatingSystem: platform(),
      osImage: `${platform()} ${release()}`,
      systemUUID: '',
    },
  };
}

const TOLD_EVERY_MS = 5 * 60_000;

/** Whether the Node says this already. As by a kubelet: with nothing new it is written every five minutes. */
export function isTold(status: Record<string, unknown>, node: KubeObject, now: number): boolean {
  const told = conditionsOf(node)[0]?.lastHeartbeatTime ?? '';
  return now - Date.parse(told) < TOLD_EVERY_MS && withoutTime(status) === withoutTime(node.status);
}

function withoutTime(status: unknown): string {
  return stableJson(
    JSON.parse(JSON.stringify(status ?? {}, (key, value) => (key === 'lastHeartbeatTime' ? '' : value))),
  );
}

export function capacity(): { cpu: string; memory: string; pods: string } {
  return { cpu: String(cpus().length), memory: `${Math.floor(totalmem() / 1024)}Ki`, pods: '110' };
}

const LIMITS = hasProcessTable
  ? 'pods run as processes: requests are checked, memory limits by a look every two seconds, CPU limits are not enforced'
  : 'pods run as processes: requests are checked, memory and CPU limits are not enforced';
const CONDITIONS = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', LIMITS],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'volumes share the disk of the data directory'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', LIMITS],
  ['Ready', 'True', 'KubeletReady', 'the process runtime runs pods of the images that ship with it'],
] as const;

interface NodeCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  lastHeartbeatTime?: string;
}

function conditionsOf(node: KubeObject): NodeCondition[] {
  const status = node.status as { conditions?: NodeCondition[] } | undefined;
  return status?.conditions ?? [];
}
