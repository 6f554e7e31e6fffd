import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { runCli } from './cli.ts';
import type { CliContext } from './context.ts';
import { processTerminal } from './process-terminal.ts';
import { terminalInput } from './terminal-input.ts';

/** `berth`. Here alone the environment is read and the process ends. */
const interrupted = new AbortController();
const context: CliContext = {
  environment: process.env,
  currentDirectory: process.cwd(),
  configDirectory: join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'berth'),
  hostname: hostname(),
  version: packageVersion(),
  nodeVersion: process.versions.node,
  fetch: globalThis.fetch,
  resolve: async (host) => (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address),
  isRunning,
  now: () => new Date(),
  wait: (milliseconds, signal) => delay(milliseconds, undefined, { signal, ref: true }).catch(ignoreAbort),
  newId: () => randomUUID(),
  random: Math.random,
  output: {
    write: (text) => void process.stdout.write(text),
    note: (text) => void process.stderr.write(text),
    colours: process.stdout.isTTY === true && process.stderr.isTTY === true && !process.env.NO_COLOR,
  },
  input: terminalInput(process.stdin, process.stderr),
  terminal: processTerminal(process.stdin, process.stdout, process.stderr),
  openSocket: (url, { headers, protocol }) => new WebSocket(url, [protocol], { headers, maxPayload: 16 * 1024 * 1024 }),
  openInBrowser,
  runServer,
  signal: interrupted.signal,
};

let servesItself = false;
process.once('SIGINT', () => {
  if (servesItself) return;
  interrupted.abort();
  process.exitCode = 130;
});
// A reader that has seen enough, as `head` has, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const exitCode = await runCli(process.argv.slice(2), context);
if (!servesItself) process.exitCode = interrupted.signal.aborted ? 130 : exitCode;

/** The server's own entry point, in this process: it hears the signals and ends the process. */
async function runServer(mode: 'up' | 'admin', parameters: readonly string[]): Promise<void> {
  servesItself = true;
  process.argv.splice(2, Number.POSITIVE_INFINITY, mode, ...parameters);
  await import(new URL('./main.js', import.meta.url).href);
}

function openInBrowser(url: string): Promise<void> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  return new Promise((resolve) => {
    const child = spawn(program, [url], { detached: true, stdio: 'ignore' });
    // The address is printed as well: where there is no browser it is for the person to open.
    child.once('error', () => resolve());
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process runs all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

/** Whoever cut the wait short looks at the signal next. */
function ignoreAbort(): undefined {
  return undefined;
}
