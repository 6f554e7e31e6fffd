import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '@berth/core/api';
import { expect, it } from 'vitest';

/** What a command line has no use for, each with its reason. */
const WITHOUT_COMMAND: Record<string, string> = {
  getOrganization: 'the list says as much',
  getTeam: 'the list says as much',
  getDeployment: 'people name deployments, so they are found in the list',
  streamLive: 'one connection for the tabs of a browser',
  streamMetrics: '"top --watch" looks again instead',
  getMetrics: 'a history is for charts; "top" has the figures of now',
  downloadLogs: 'the stream of "logs" can be redirected',
};

const here = fileURLToPath(new URL('.', import.meta.url));
const sources = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing'))
  .map((file) => readFileSync(join(here, file), 'utf8'))
  .join('\n');

it.each(Object.keys(ROUTES))('there is a command for %s, or a reason why not', (name) => {
  expect(sources.includes(`'${name}'`)).toBe(!Object.hasOwn(WITHOUT_COMMAND, name));
});
