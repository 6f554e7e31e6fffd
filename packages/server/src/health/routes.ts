import type { Clock } from '../clock.ts';
import type { Handlers } from '../http/handler.ts';
import { runChecks } from './check.ts';
import { type ClusterCheckDeps, clusterChecks } from './cluster-checks.ts';
import { type DatabaseCheckDeps, databaseChecks } from './database-checks.ts';
import { type ProcessCheckDeps, processChecks } from './process-checks.ts';

export type HealthDeps = ClusterCheckDeps & DatabaseCheckDeps & ProcessCheckDeps & { clock: Clock };

/** What of the installation works: asked anew each time, since whoever asks is about to mend something. */
export function healthHandlers(deps: HealthDeps): Handlers<'getHealth'> {
  return {
    async getHealth() {
      const checks = [...databaseChecks(deps), ...clusterChecks(deps), ...processChecks(deps)];
      return { checks: await runChecks(checks) };
    },
  };
}
