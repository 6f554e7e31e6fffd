import { systemClock } from '@berth/kube/client/clock';
import type { Settings } from '../configuration/environment.ts';
import type { WEB_VARIABLES } from '../configuration/process-settings.ts';
import { buildPages } from '../http/pages-app.ts';
import { createLogger } from '../logger.ts';
import { createDraining } from '../processes/draining.ts';
import { watchEventLoop } from '../processes/event-loop.ts';
import type { Service } from '../processes/service.ts';

/** The pages alone, in a process without rights and secrets: the API is a server's, at the same address. */
export async function runWeb(settings: Settings<typeof WEB_VARIABLES>, webDirectory: string): Promise<Service> {
  const log = createLogger({ name: 'web', level: settings.logLevel });
  const draining = createDraining({ seconds: settings.drainSeconds, timer: systemClock });
  const eventLoop = watchEventLoop();
  const app = await buildPages({ publicUrl: settings.publicUrl, webDirectory, draining, live: eventLoop.probes });
  await app.listen({ host: settings.bind, port: settings.port });
  log.info({ address: settings.bind, port: settings.port }, 'pages are served');
  return {
    async stop() {
      await draining.begin();
      await app.close();
      eventLoop.stop();
    },
  };
}
