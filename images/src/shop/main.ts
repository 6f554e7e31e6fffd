import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { joinClusterNetwork } from '../runtime/cluster-network.ts';
import { log, messageOf } from '../runtime/log.ts';
import { serve } from '../runtime/serve.ts';
import { type Environment, parsePort, runtimeSettings } from '../runtime/settings.ts';
import { createApi } from './api.ts';
import { openPool } from './database.ts';
import { migrate } from './migrate.ts';
import { createShopStore } from './shop-store.ts';
import { createWeb } from './web.ts';

/** One image, three programs: `web`, `api` and `migrate`. */
const environment: Environment = process.env;
const settings = runtimeSettings(environment);
joinClusterNetwork(settings);
const port = parsePort('PORT', environment.PORT, 8080);
const [program] = process.argv.slice(2);

if (program === 'migrate') {
  try {
    await migrate(openPool(environment));
    process.exit(0);
  } catch (error) {
    log.error(messageOf(error));
    process.exit(1);
  }
} else if (program === 'api') {
  const store = createShopStore(openPool(environment));
  serve(createApi({ store, newId: randomUUID }), { name: 'api', port, settings, close: store.close });
} else if (program === 'web') {
  const script = fileURLToPath(new URL('./browser.js', import.meta.url));
  const title = environment.TITLE || 'Shop';
  serve(createWeb({ title, currency: environment.CURRENCY || 'EUR', script }), { name: 'web', port, settings });
} else {
  log.error(`say which program to run: web, api or migrate, not "${program ?? ''}"`);
  process.exit(2);
}
