import { createHash } from 'node:crypto';
import type { Environment } from '../runtime/settings.ts';

export interface AppSettings {
  repository: string;
  /** A branch or a tag; the repository's own default when empty. */
  reference: string;
  token: string;
  subdirectory: string;
  buildCommand: string;
  startCommand: string;
  /** For the build and for the app. */
  variables: Record<string, string>;
}

export function appSettings(environment: Environment): AppSettings {
  const repository = environment.REPOSITORY ?? '';
  if (!/^https?:\/\/\S+$/.test(repository)) {
    throw new Error(`REPOSITORY must be an address that begins with https:// or http://, not "${repository}"`);
  }
  return {
    repository,
    reference: environment.REFERENCE ?? '',
    token: environment.REPOSITORY_TOKEN ?? '',
    subdirectory: environment.SUBDIRECTORY ?? '',
    buildCommand: (environment.BUILD_COMMAND ?? '').trim(),
    startCommand: (environment.START_COMMAND ?? '').trim() || 'npm start',
    variables: {
      ...parseVariables('APP_ENVIRONMENT', environment.APP_ENVIRONMENT),
      ...parseVariables('APP_SECRETS', environment.APP_SECRETS),
    },
  };
}

/** `NAME=value` a line. The value is what stands behind the first `=`, byte for byte; empty lines and `#` lines are passed over. */
export function parseVariables(source: string, text = ''): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const match = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line);
    // The line itself may be a secret.
    if (!match?.[1]) throw new Error(`line ${index + 1} of ${source} is not NAME=value`);
    variables[match[1]] = match[2] ?? '';
  }
  return variables;
}

/** Changes when what was built before must be built again, whatever the commit. */
export function buildKey(settings: AppSettings): string {
  const { repository, reference, subdirectory, buildCommand, variables } = settings;
  const parts = [repository, reference, subdirectory, buildCommand, variables, process.version];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
