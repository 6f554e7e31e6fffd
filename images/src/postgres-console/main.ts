import { joinClusterNetwork } from '../runtime/cluster-network.ts';
import { createPasswordGate } from '../runtime/password-gate.ts';
import { serve } from '../runtime/serve.ts';
import { type Environment, parseCount, parsePort, requireValue, runtimeSettings } from '../runtime/settings.ts';
import { createConsole } from './console.ts';
import { openDatabase } from './database.ts';

const environment: Environment = process.env;
const settings = runtimeSettings(environment);
joinClusterNetwork(settings);

const connection = {
  host: environment.DATABASE_HOST || 'database',
  port: parsePort('DATABASE_PORT', environment.DATABASE_PORT, 5432),
  database: environment.DATABASE_NAME || 'postgres',
  user: environment.DATABASE_USER || 'postgres',
};
const password = requireValue('DATABASE_PASSWORD', environment.DATABASE_PASSWORD);
const rows = parseCount('MAX_ROWS', environment.MAX_ROWS, 500);
const database = openDatabase({ ...connection, password }, { rows });
const gate = createPasswordGate({ password, title: 'PostgreSQL', clock: Date.now });
serve(createConsole({ database, gate, connection }), {
  name: 'postgres-console',
  port: parsePort('PORT', environment.PORT, 8080),
  settings,
  close: () => database.close(),
});
