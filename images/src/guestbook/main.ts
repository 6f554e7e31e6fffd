import { randomUUID } from 'node:crypto';
import { joinClusterNetwork } from '../runtime/cluster-network.ts';
import { serve } from '../runtime/serve.ts';
import { type Environment, parseCount, parsePort, runtimeSettings } from '../runtime/settings.ts';
import { createEntryStore } from './entry-store.ts';
import { createGuestbook } from './guestbook.ts';
import { parseTheme } from './theme.ts';

const environment: Environment = process.env;
const settings = runtimeSettings(environment);
joinClusterNetwork(settings);

const store = createEntryStore({
  database: {
    host: environment.DATABASE_HOST || 'database',
    port: parsePort('DATABASE_PORT', environment.DATABASE_PORT, 5432),
    database: environment.DATABASE_NAME || 'guestbook',
    user: environment.DATABASE_USER || 'guestbook',
    password: environment.DATABASE_PASSWORD ?? '',
  },
  newId: randomUUID,
  patienceMilliseconds: 8000,
  retryMilliseconds: 250,
  entriesShown: parseCount('ENTRIES_PER_PAGE', environment.ENTRIES_PER_PAGE, 100),
});
const server = createGuestbook({
  title: environment.TITLE || 'Guestbook',
  theme: parseTheme(environment.THEME),
  store,
});
serve(server, {
  name: 'guestbook',
  port: parsePort('PORT', environment.PORT, 8080),
  settings,
  close: () => store.close(),
});
