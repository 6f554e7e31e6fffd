import { quantity } from '@berth/core/quantity';
import type { DeploymentView } from '../deployment/deployment-row.ts';
import type { MeasuredService } from './metric-series.ts';

/** The services of a deployment with the limits of all their pods together, as many as there should be. */
export function measuredServices(row: DeploymentView): (MeasuredService & { pods: number })[] {
  return row.spec.services.map(({ name, replicas = 1, resources }) => {
    const seen = row.observed?.services?.find((each) => each.name === name);
    const wanted = seen?.desired ?? (row.desired === 'running' ? replicas : 0);
    const { cpu, memory } = resources?.limits ?? {};
    return {
      name,
      pods: seen?.ready ?? 0,
      ...(cpu !== undefined && wanted > 0 && { cpuLimit: quantity(cpu) * wanted }),
      ...(memory !== undefined && wanted > 0 && { memoryLimit: quantity(memory) * wanted }),
    };
  });
}
