import type { Usage } from '@berth/core/deployment';
import { PLANS } from '@berth/core/plans';
import { formatBytes, formatCores } from '@berth/core/quantity';

/** Use of a plan, ready to be drawn: one line a limit. */
export interface UsageLine {
  key: 'deployments' | 'cpu' | 'memory' | 'storage';
  label: string;
  used: number;
  allowed: number | undefined;
  usedWords: string;
  ofWords: string;
}

export function usageLines(usage: Usage): UsageLine[] {
  const bytesUnit = (bytes: number | undefined) => (bytes === undefined ? 'no limit' : `of ${formatBytes(bytes)}`);
  return [
    {
      key: 'deployments',
      label: 'Deployments',
      ...numbers(usage.deployments),
      usedWords: String(usage.deployments.used),
      ofWords: usage.deployments.allowed === undefined ? 'no limit' : `of ${usage.deployments.allowed}`,
    },
    {
      key: 'cpu',
      label: 'CPU',
      ...numbers(usage.cpu),
      usedWords: formatCores(usage.cpu.used),
      ofWords: usage.cpu.allowed === undefined ? 'cores, no limit' : `of ${formatCores(usage.cpu.allowed)} cores`,
    },
    {
      key: 'memory',
      label: 'Memory',
      ...numbers(usage.memory),
      usedWords: formatBytes(usage.memory.used),
      ofWords: bytesUnit(usage.memory.allowed),
    },
    {
      key: 'storage',
      label: 'Storage',
      ...numbers(usage.storage),
      usedWords: formatBytes(usage.storage.used),
      ofWords: bytesUnit(usage.storage.allowed),
    },
  ];
}

export function planName(plan: string): string {
  return Object.entries(PLANS).find(([name]) => name === plan)?.[1].displayName ?? plan;
}

function numbers({ used, allowed }: { used: number; allowed?: number }) {
  return { used, allowed };
}
