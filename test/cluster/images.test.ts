import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recipeNames } from '../../scripts/images/recipes.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import type { ClusterFile } from './cluster-file.ts';
import { DATABASE_TRIAL, objectsOf, type Trial, trials } from './images/trial-pods.ts';

/**
 * Every image of ours as a pod under restricted Pod Security, with a root that cannot be written to: it does its work, can be looked into,
 * and ends when it is told to. Needs a cluster that is up and has the images.
 */
const NAMESPACE = 'images-try';
/** Far below the grace that pods have, so what passes has heard the signal. */
const END_WITHIN = '30s';
const APP = {
  'package.json': JSON.stringify({
    name: 'app',
    version: '1.0.0',
    scripts: { build: 'mkdir dist && cp server.js dist', start: 'node dist/server.js' },
  }),
  'package-lock.json': JSON.stringify({
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { name: 'app', version: '1.0.0' } },
  }),
  'server.js': `const server = require('http').createServer((request, response) => response.end('app')).listen(process.env.PORT);
process.on('SIGTERM', () => server.close());`,
};

const { kubeconfig, bin, hostAddress } = JSON.parse(
  readFileSync(join(process.env.BERTH_TEST_CLUSTER ?? '', 'cluster.json'), 'utf8'),
) as ClusterFile;
const scratch = mkdtempSync(join(tmpdir(), 'berth-images-'));
let git: GitServer;

/** Not waited for in one piece: what pods ask of this process must be answered meanwhile. */
async function kubectl(parameters: string[], input = ''): Promise<string> {
  const child = spawn(join(bin, 'kubectl'), ['--kubeconfig', kubeconfig, '--namespace', NAMESPACE, ...parameters]);
  child.stdin.end(input);
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code[0] !== 0) throw new Error(`kubectl ${parameters.join(' ')}: ${errors}`);
  return output;
}

function apply(objects: object[]): Promise<string> {
  return kubectl(['apply', '--filename', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
}

function referenceOf(image: string): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return `berth.dev/${image}:${image === 'berth' ? version : '1'}`;
}

const nameOf = ({ name, image }: Trial): string => name ?? image;

function start(trial: Trial): Promise<string> {
  return apply(objectsOf(trial, referenceOf(trial.image)));
}

/** Until it is ready or, when it is a program that ends, has ended well. */
async function waitFor(trial: Trial): Promise<void> {
  const condition = trial.port === undefined ? 'jsonpath={.status.phase}=Succeeded' : 'condition=Ready';
  try {
    await kubectl(['wait', `pod/${nameOf(trial)}`, `--for=${condition}`, '--timeout=90s']);
  } catch (error) {
    const said = await kubectl(['logs', nameOf(trial), '--tail=20', '--ignore-errors']);
    throw new Error(`${nameOf(trial)} does not work: ${said}`, { cause: error });
  }
}

const inside = (name: string, script: string): Promise<string> =>
  kubectl(['exec', name, '--', '/bin/sh', '-c', script]);

beforeAll(async () => {
  git = await startGitServer(join(scratch, 'repositories'), { address: hostAddress! });
  git.commit('app', APP);
  await apply([
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    },
  ]);
  await start(DATABASE_TRIAL);
  await waitFor(DATABASE_TRIAL);
  for (const trial of trials(`${git.url}/app.git`)) await start(trial);
});

afterAll(async () => {
  await kubectl(['delete', 'namespace', NAMESPACE, '--ignore-not-found', '--timeout=120s']);
  await git.close();
  rmSync(scratch, { recursive: true, force: true });
});

const all = [DATABASE_TRIAL, ...trials('')];
const serving = all.filter(({ port }) => port !== undefined).map(nameOf);

describe('images in restricted pods with a read-only root', () => {
  it('are all tried', () => {
    expect([...new Set(all.map(({ image }) => image))].sort()).toEqual(recipeNames().sort());
  });

  it.concurrent.each(all.map((trial) => [nameOf(trial), trial] as const))('%s does its work', async (_name, trial) => {
    await waitFor(trial);
  });

  it.concurrent.each(serving)('%s has a shell, is nobody in particular, and writes only where it may', async (name) => {
    const said = await inside(name, 'id -u; id -g; echo "$HOME"; echo x >/tmp/x && cat /tmp/x');
    expect(said.split('\n')).toEqual(['10001', '10001', '/tmp', 'x', '']);
    await expect(inside(name, 'echo x >/image/x')).rejects.toThrow(/Read-only file system|Permission denied/);
    expect(await inside(name, 'node --version')).toMatch(/^v\d+/);
  });

  it('programs that somebody leaves behind are collected', async () => {
    await inside('terminal', '(sleep 0.2 &) ; (sleep 0.3 &)');
    await inside('terminal', 'while ps -o stat,args | grep -q "^[SZ].*sleep 0"; do sleep 0.1; done');
    expect(await inside('terminal', 'ps -o stat,args')).not.toMatch(/^Z/m);
  });

  it('the terminal has bash, which knows its user and letters beyond ASCII', async () => {
    expect(await inside('terminal', "LANG=C.UTF-8 bash -lc 'whoami; x=é; echo ${#x}'")).toBe('berth\n1\n');
  });

  it('a database is there after its pod was killed, on a volume whose folders were opened to the group', async () => {
    await inside('database', 'chmod 2770 /var/lib/postgresql/data/cluster');
    await kubectl(['delete', 'pod', 'database', '--grace-period=0', '--force', '--wait']);
    await start(DATABASE_TRIAL);
    await waitFor(DATABASE_TRIAL);
    await inside('guestbook', 'timeout 60 sh -c "until wget -qO- http://127.0.0.1:8080/readyz; do sleep 0.5; done"');
  });

  it.concurrent.each(serving)('%s ends when it is told to', async (name) => {
    await kubectl(['delete', 'pod', name, '--wait', `--timeout=${END_WITHIN}`]);
  });
});
