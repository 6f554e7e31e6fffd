import { join } from 'node:path';
import { joinClusterNetwork } from '../runtime/cluster-network.ts';
import { log, messageOf } from '../runtime/log.ts';
import { onceReachable } from '../runtime/once-reachable.ts';
import { serve } from '../runtime/serve.ts';
import {
  type Environment,
  parseCount,
  parsePort,
  requireValue,
  rootedPath,
  runtimeSettings,
} from '../runtime/settings.ts';
import { check } from './check.ts';
import { openResultFile } from './result-file.ts';
import { createUptime } from './uptime.ts';

/** One image, two programs: `web` shows the results, `check` is the job that makes one. */
const environment: Environment = process.env;
const settings = runtimeSettings(environment);
joinClusterNetwork(settings);
const address = requireValue('ADDRESS', environment.ADDRESS);
const token = requireValue('TOKEN', environment.TOKEN);
const now = (): Date => new Date();
const [program] = process.argv.slice(2);

if (program === 'check') {
  try {
    await handIn(requireValue('RESULTS_URL', environment.RESULTS_URL));
  } catch (error) {
    log.error(messageOf(error));
    process.exitCode = 1;
  }
} else if (program === 'web') {
  const directory = rootedPath(settings, environment.DATA_DIRECTORY || '/data');
  const server = createUptime({
    address,
    everyMinutes: parseCount('EVERY_MINUTES', environment.EVERY_MINUTES, 5),
    token,
    results: await openResultFile(join(directory, 'results.jsonl')),
    check: () => check(address, now),
    clock: Date.now,
  });
  serve(server, { name: 'uptime', port: parsePort('PORT', environment.PORT, 8080), settings });
} else {
  log.error(`say which program to run: web or check, not "${program ?? ''}"`);
  process.exitCode = 2;
}

async function handIn(url: string): Promise<void> {
  const result = await check(address, now);
  const line = `${address}: ${result.problem ?? `status ${result.status}`} after ${result.milliseconds} ms`;
  if (result.good) log.info(line);
  else log.warn(line);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await onceReachable(() => fetch(url, { method: 'POST', headers, body: JSON.stringify(result) }));
  if (!answer.ok) throw new Error(`the result was not taken: status ${answer.status}, ${(await answer.text()).trim()}`);
}
