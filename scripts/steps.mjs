// One line a step, with how long it took. Node's own modules only: this runs before anything is installed.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Says what is being done, does it, says how long it took. Where lines cannot be completed later, once at the end. */
export async function step(what, work) {
  const since = performance.now();
  const live = process.stdout.isTTY === true;
  if (live) process.stdout.write(`${what} ...`);
  else console.log(`${what} ...`);
  try {
    const result = await work();
    console.log(live ? `\r${what} ... ${seconds(since)}` : `${what}: done in ${seconds(since)}`);
    return result;
  } catch (error) {
    if (live) console.log();
    throw error;
  }
}

export function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/** A failure that a sentence explains; a stack would only be in the way. */
export class PlainError extends Error {}

/** Runs a program to its end and returns its output, which is shown only when it fails: always with `show`, never with `quiet`. */
export function run(program, parameters, options = {}) {
  const { show = false, quiet = false, env = process.env, cwd = root } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      cwd,
      env,
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(chunk));
    child.once('error', (error) => reject(new PlainError(`${program} cannot be started: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(Buffer.concat(output).toString('utf8'));
      if (output.length > 0 && !quiet) process.stderr.write(`\n${Buffer.concat(output).toString('utf8')}`);
      reject(new PlainError(`"${[program, ...parameters].join(' ')}" failed (${signal ?? `exit code ${code}`})`));
    });
  });
}

/** Ends the program with the sentence of a plain error, or with everything about any other. */
export function reportAndExit(error) {
  console.error(error instanceof PlainError ? error.message : error);
  process.exit(1);
}

export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new PlainError(
    `Berth needs Node.js 20.19 or newer, and this is ${process.versions.node}: install a newer one from https://nodejs.org`,
  );
}
