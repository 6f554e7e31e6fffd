import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  KEYS_VARIABLES,
  MIGRATE_VARIABLES,
  OPERATOR_VARIABLES,
  SERVER_VARIABLES,
  WEB_VARIABLES,
} from './process-settings.ts';

const GUIDE = new URL('../../../../docs/guides/operations.md', import.meta.url);
/** What nobody sets: a supervisor and Kubernetes do. */
const UNTOLD = new Set(['BERTH_RUN_FILE', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT']);

const PROCESSES = {
  server: SERVER_VARIABLES,
  web: WEB_VARIABLES,
  operator: OPERATOR_VARIABLES,
  migrate: MIGRATE_VARIABLES,
  keys: KEYS_VARIABLES,
};

/** `NAME °  server, operator`: what a row of the guide's table begins with, and what it should. */
function declared(): string[] {
  const of = new Map<string, { secret: boolean; processes: string[] }>();
  for (const [process, variables] of Object.entries(PROCESSES)) {
    for (const { name, secret } of Object.values(variables)) {
      const known = of.get(name) ?? { secret, processes: [] };
      of.set(name, { secret, processes: [...known.processes, process] });
    }
  }
  return [...of]
    .filter(([name]) => !UNTOLD.has(name))
    .map(([name, { secret, processes }]) => `${name}${secret ? ' °' : ''}: ${processes.join(', ')}`)
    .sort();
}

it('the guide to operations tells of every setting, of whose it is and whether a file may hold it', () => {
  const rows = readFileSync(GUIDE, 'utf8').matchAll(/^\| `([A-Z_]+)`( °)? \| ([a-z, ]+) \|/gm);
  expect([...rows].map(([, name, secret = '', of]) => `${name}${secret}: ${of}`).sort()).toEqual(declared());
});
