import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeReport } from '../../packages/kube/conformance/report.ts';
import { compareTargets } from '../../packages/kube/conformance/run-conformance.ts';
import { openRealTarget, startEmbeddedTarget } from '../../packages/kube/conformance/target.ts';

const TIMEOUT_MS = 15 * 60_000;

it('the embedded cluster answers as this one but for what is known', { timeout: TIMEOUT_MS }, async () => {
  const real = await openRealTarget(kubeconfigOfCluster());
  const embedded = await startEmbeddedTarget();
  try {
    const report = await compareTargets({ embedded, real });
    expect(report.answers).toBeGreaterThan(350);
    expect([...report.unknown, ...report.stale], writeReport(report)).toEqual([]);
  } finally {
    await embedded.end();
    await real.end();
  }
});

function kubeconfigOfCluster(): string {
  const { KUBECONFIG, BERTH_CLUSTER_DIR, XDG_CACHE_HOME } = process.env;
  if (KUBECONFIG) return KUBECONFIG;
  const dir = BERTH_CLUSTER_DIR || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth/cluster');
  const { kubeconfig } = JSON.parse(readFileSync(join(dir, 'cluster.json'), 'utf8')) as { kubeconfig: string };
  return kubeconfig;
}
