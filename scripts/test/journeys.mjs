// The files that are tried on a laptop and on a cluster alike.
import { browserEnvironment } from '../browser.mjs';
import { kubectlEnvironment } from '../kubectl.mjs';
import { MINUTE_MS } from './execute.mjs';
import { keepTests, LAPTOP_ONLY } from './targets.mjs';
import { vitest } from './vitest.mjs';

export const JOURNEYS = {
  load: { name: 'updates under load', config: 'test/load/vitest.config.ts', withinMs: 8 * MINUTE_MS },
  templates: { name: 'templates', config: 'test/templates/vitest.config.ts', withinMs: 8 * MINUTE_MS },
  browser: { name: 'browser', config: 'test/browser/vitest.config.ts', withinMs: 12 * MINUTE_MS, needsBrowser: true },
};

export async function onLaptop(journey) {
  return run('laptop', journey, {});
}

/** `env` says where the installation is; `onFailure` tells what became of it. */
export async function onCluster(journey, { env, onFailure }) {
  return run('cluster', journey, { env, onFailure, parameters: ['--exclude', `**/*${LAPTOP_ONLY}`] });
}

async function run(target, journey, { env = {}, ...more }) {
  const { needsBrowser, ...stage } = JOURNEYS[journey];
  const name = target === 'laptop' ? stage.name : `${stage.name}, ${target}`;
  const needed = { ...(await kubectlEnvironment()), ...(needsBrowser && (await browserEnvironment())) };
  const result = await vitest({ ...stage, ...more, name, env: { ...needed, ...env, BERTH_TEST_TARGET: target } });
  keepTests(target, journey, result.tests);
  return result;
}
