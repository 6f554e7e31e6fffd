// What `npm start` runs. On a fresh clone nothing is installed, so only Node's own modules may be imported up here.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { install } from './install.mjs';
import { reportAndExit, requireNode, root } from './steps.mjs';

try {
  requireNode();
  await install();
  const { buildIfChanged } = await import('./build.mjs');
  await buildIfChanged();
  process.exitCode = await start(process.argv.slice(2));
} catch (error) {
  reportAndExit(error);
}

/** Signals go to the started program alone: it stops in order and decides the exit code. */
function start(parameters) {
  const main = join(root, 'dist/main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', main, 'up', ...parameters], {
    stdio: 'inherit',
    cwd: process.env.INIT_CWD ?? root,
  });
  // From a terminal the signal has reached the child as well; one that was sent to us alone has not.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 1)));
  });
}
