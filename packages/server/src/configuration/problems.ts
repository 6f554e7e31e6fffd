import type { Settings } from './environment.ts';
import type { KEYS_VARIABLES, SERVER_VARIABLES } from './process-settings.ts';
import { isLoopback } from './up-options.ts';

type ServerSettings = Settings<typeof SERVER_VARIABLES>;

/** Settings of a server that are sound one by one and do not go together, a sentence each. */
export function serverProblems(settings: ServerSettings): string[] {
  const { bind, developmentSignIn, adminEmail, adminPassword } = settings;
  return [
    ...(developmentSignIn && !isLoopback(bind)
      ? [
          `BERTH_DEVELOPMENT_SIGN_IN makes an administrator of everybody who reaches the server, and BERTH_BIND=${bind} lets others reach it: turn one of them off`,
        ]
      : []),
    ...(adminEmail !== undefined && adminPassword === undefined
      ? ['BERTH_ADMIN_EMAIL needs a password: set BERTH_ADMIN_PASSWORD or BERTH_ADMIN_PASSWORD_FILE']
      : []),
  ];
}

export function keysProblems({ databaseSecret, databaseHost }: Settings<typeof KEYS_VARIABLES>): string[] {
  if (databaseSecret === undefined || databaseHost !== undefined) return [];
  return [
    'BERTH_KEYS_DATABASE_HOST is required with BERTH_KEYS_DATABASE_SECRET: the host in the address of the database',
  ];
}
