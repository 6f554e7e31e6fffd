import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { log } from '../runtime/log.ts';
import { type CommandPlace, runCommand } from './run-command.ts';

const LOCK_FILES = ['package-lock.json', 'npm-shrinkwrap.json'];
const OTHER_LOCK_FILES = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'];

/** Installs what the app needs and builds it. A failure names the step; what the step said stands above it in the log. */
export async function buildApp(place: CommandPlace, buildCommand: string): Promise<void> {
  const install = installCommand(place.directory, buildCommand !== '');
  if (install) await step('install', install, place);
  else log.info('there is no package.json, so nothing is installed');
  if (buildCommand !== '') await step('build', buildCommand, place);
}

/** A build usually needs what only developers need; without one that is left out. */
export function installCommand(directory: string, builds: boolean): string | undefined {
  const has = (file: string): boolean => existsSync(join(directory, file));
  if (!has('package.json')) return undefined;
  const which = builds ? '--include=dev' : '--omit=dev';
  if (LOCK_FILES.some(has)) return `npm ci ${which}`;
  const other = OTHER_LOCK_FILES.find(has);
  log.warn(
    other
      ? `${other} is not npm's: versions are chosen anew from package.json`
      : 'there is no package-lock.json: versions are chosen anew from package.json',
  );
  return `npm install --no-package-lock ${which}`;
}

async function step(name: string, line: string, place: CommandPlace): Promise<void> {
  const since = performance.now();
  log.info(`${name}: ${line}`);
  const code = await runCommand(line, place).ended;
  if (code !== 0) throw new Error(`the ${name} failed with exit code ${code}: ${line}`);
  log.info(`${name}: done in ${((performance.now() - since) / 1000).toFixed(1)} s`);
}

/**
 * What really runs. `npm start` is looked up in package.json: npm between us and the app would pass every signal on a second
 * time, and many programs take a second one as "at once".
 */
export async function startLine(directory: string, startCommand: string): Promise<string> {
  const named = /^npm\s+(?:(start)|run(?:-script)?\s+(\S+))$/.exec(startCommand);
  const script = named?.[1] ?? named?.[2];
  if (script === undefined) return startCommand;
  const file = join(directory, 'package.json');
  if (!existsSync(file))
    throw new Error('there is no package.json here: give a start command, or the subdirectory it is in');
  const { scripts = {} } = JSON.parse(await readFile(file, 'utf8')) as { scripts?: Record<string, string> };
  const line = Object.hasOwn(scripts, script) ? scripts[script] : undefined;
  if (line !== undefined) return line;
  if (script === 'start' && existsSync(join(directory, 'server.js'))) return 'node server.js';
  const known = Object.keys(scripts).join(', ') || 'none';
  throw new Error(`package.json has no script "${script}" (it has ${known}): give a start command`);
}
