import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface CommandPlace {
  root: string;
  url: string;
  /** Where sign-ins are kept. */
  configuration: string;
}

const HOSTS = fileURLToPath(new URL('./hosts.mjs', import.meta.url));

/** The command line as a person starts it; returns what it wrote, and fails with that when it fails. */
export function runBerth(
  { root, url, configuration }: CommandPlace,
  args: readonly string[],
  input = '',
): Promise<string> {
  const child = spawn(process.execPath, ['--import', HOSTS, join(root, 'dist/berth.js'), ...args], {
    env: { ...process.env, BERTH_URL: url, XDG_CONFIG_HOME: configuration, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  let complaint = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`berth ${args.join(' ')} ended with ${code}: ${complaint}${output}`));
    });
  });
}
