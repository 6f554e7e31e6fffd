import { delay, systemClock } from '@berth/kube/client/clock';
import { type DeploymentWorkers, type DeploymentWorkersDeps, startDeploymentWorkers } from '../deployment/workers.ts';
import { hasDefinitions, installDefinitions } from '../kubernetes/definitions.ts';

/** What the server does in the cluster: it makes its kinds known there, then brings deployments and sees what becomes of them. */
export interface ClusterWork {
  healthy(): boolean;
  /** Undefined until the cluster took our kinds. */
  observation(): ReturnType<DeploymentWorkers['observation']> | undefined;
  stop(): Promise<void>;
}

const RETRY_MS = 1_000;
const LOOK_AGAIN_MS = 30_000;

export interface ClusterWorkDeps extends DeploymentWorkersDeps {
  /** Off where the chart does; the work then waits for them. */
  installDefinitions: boolean;
}

export function startClusterWork(deps: ClusterWorkDeps): ClusterWork {
  const stopping = new AbortController();
  let workers: DeploymentWorkers | undefined;
  const started = begin();

  async function begin(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (deps.installDefinitions) await installDefinitions(deps.client, { externalSecrets: 'install-if-missing' });
        else if (!(await hasDefinitions(deps.client)))
          throw new Error('the definitions of Berth are not installed there');
        if (!stopping.signal.aborted) workers = startDeploymentWorkers(deps);
        if (deps.installDefinitions) void keepDefinitions();
        return;
      } catch (error) {
        deps.logger.warn({ err: error }, 'the cluster does not have our definitions yet');
        await delay(systemClock, RETRY_MS, stopping.signal);
      }
    }
  }

  /** One that somebody removes by hand would stop everything until the next start. */
  async function keepDefinitions(): Promise<void> {
    while (!stopping.signal.aborted) {
      await delay(systemClock, LOOK_AGAIN_MS, stopping.signal);
      try {
        if (stopping.signal.aborted || (await hasDefinitions(deps.client))) continue;
        deps.logger.warn('a definition of ours is missing in the cluster and is installed again');
        await installDefinitions(deps.client, { externalSecrets: 'install-if-missing' });
      } catch (error) {
        deps.logger.debug({ err: error }, 'the definitions could not be looked at');
      }
    }
  }

  return {
    healthy: () => workers?.healthy() ?? true,
    observation: () => workers?.observation(),
    async stop() {
      stopping.abort();
      await started;
      await workers?.stop();
    },
  };
}
