import { type Clock as KubeClock, systemClock as systemTimer } from '@berth/kube/client/clock';
import { type DeploymentRoutesDeps, deploymentHandlers, teamOfDeployment } from '../deployment/routes.ts';
import type { DeploymentRoutes } from '../http/handler.ts';
import type { Logger } from '../logger.ts';
import type { ReadRouterMetrics } from '../metrics/router-metrics.ts';
import { metricHandlers } from '../metrics/routes.ts';
import { type ShellRoutes, shellRoutes } from '../shell/routes.ts';
import { createShellPeers, type PeerSettings } from '../shell/shell-peers.ts';
import type { ShellClient } from '../shell/shells.ts';
import { downloadLogs } from './download-logs.ts';
import { createLiveHub } from './live-hub.ts';
import type { LogClient } from './pod-logs.ts';
import { streamEvents } from './stream-events.ts';
import { streamLive } from './stream-live.ts';
import { streamLogs } from './stream-logs.ts';

export interface AllDeploymentRoutesDeps extends DeploymentRoutesDeps {
  client: LogClient & ShellClient;
  logger: Logger;
  timer?: KubeClock;
  /** Absent where public addresses are not served by our own router. */
  readRouterMetrics?: ReadRouterMetrics | undefined;
  /** The only namespaces that may be looked into; all when absent. */
  confinedTo?: readonly string[] | undefined;
  /** Absent where there is one server. */
  peers?: PeerSettings | undefined;
}

export interface AllDeploymentRoutes extends DeploymentRoutes, Pick<ShellRoutes, 'mountPeers' | 'drain'> {
  stop(): Promise<void>;
}

/** Everything that `http/` mounts for deployments, streams included. Stop it after the HTTP server. */
export function deploymentRoutes(deps: AllDeploymentRoutesDeps): AllDeploymentRoutes {
  const { database, client, logger, timer = systemTimer, urlOf } = deps;
  const hub = createLiveHub({ database, logger });
  const owner = teamOfDeployment(database);
  const peers = deps.peers && createShellPeers({ ...deps, ...deps.peers, timer });
  const shells = shellRoutes({ database, client, clock: deps.clock, timer, logger, teamOfDeployment: owner, peers });
  return {
    teamOfDeployment: owner,
    handlers: {
      ...deploymentHandlers(deps),
      streamEvents: (context) => streamEvents({ database, hub, timer, urlOf }, context),
      ...shells.handlers,
      streamLogs: (context) => streamLogs({ database, client, timer }, context),
      downloadLogs: (context) => downloadLogs({ database, client, timer }, context),
      ...metricHandlers({ ...deps, hub, timer }),
      streamLive: (context) => streamLive({ timer }, context),
    },
    mountPeers: shells.mountPeers,
    drain: shells.drain,
    async stop() {
      await shells.stop();
      await hub.stop();
    },
  };
}
