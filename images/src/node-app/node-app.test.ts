import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitServer, startGitServer } from '../../../test/support/git-server.ts';
import {
  bundleProgram,
  eventually,
  freePort,
  ownFolder,
  type StartedProgram,
  startProgram,
  temporaryDirectory,
} from '../testing.ts';
import { parseVariables } from './app-settings.ts';

const directory = temporaryDirectory();
let program: string;
let git: GitServer;
let port: number;
const started: StartedProgram[] = [];

/** An app with a package of its own repository, so that nothing is asked of a registry. */
const APP = {
  'package.json': JSON.stringify({
    name: 'app',
    version: '1.0.0',
    scripts: { build: 'node build.js', start: 'GREETING="$WORD" node dist/server.js', broken: 'exit 3' },
    dependencies: { greet: 'file:packages/greet' },
  }),
  'package-lock.json': JSON.stringify({
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'app', version: '1.0.0', dependencies: { greet: 'file:packages/greet' } },
      'node_modules/greet': { resolved: 'packages/greet', link: true },
      'packages/greet': { version: '1.0.0' },
    },
  }),
  'packages/greet/package.json': '{"name":"greet","version":"1.0.0"}',
  'packages/greet/index.js': 'module.exports = (word) => word + " from the package";',
  'build.js': `const fs = require('fs'); fs.mkdirSync('dist', { recursive: true }); fs.copyFileSync('server.js', 'dist/server.js');`,
  'server.js': `const greet = require('greet');
const server = require('http').createServer((request, response) => {
  const end = () => response.end(greet(process.env.GREETING) + ' ' + process.env.NODE_ENV + ' ' + (process.env.REPOSITORY_TOKEN ?? 'no token'));
  if (request.url === '/slow') setTimeout(end, 700); else end();
}).listen(process.env.PORT);
process.on('SIGTERM', () => { console.log('app hears SIGTERM'); server.close(); });`,
};

beforeAll(async () => {
  program = await bundleProgram('node-app', directory);
  port = await freePort();
  git = await startGitServer(join(directory, 'repositories'));
  git.commit('app', APP, { tag: 'v1' });
}, 120_000);

afterAll(async () => {
  for (const { child } of started) child.kill('SIGTERM');
  await Promise.all(started.map(({ exit }) => exit));
  await git.close();
  rmSync(directory, { recursive: true, force: true });
});

function start(environment: Record<string, string> = {}, work = 'work'): StartedProgram {
  ownFolder(join(directory, work));
  const app = startProgram(program, {
    REPOSITORY: `${git.url}/app.git`,
    BUILD_COMMAND: 'npm run build',
    APP_ENVIRONMENT: 'WORD=hello "you" $HOME',
    REPOSITORY_TOKEN: 'kept apart',
    NODE_ENV: 'production',
    WORK_DIRECTORY: join(directory, work),
    PATH: '/usr/bin:/bin',
    PORT: String(port),
    ...environment,
  });
  started.push(app);
  return app;
}

const answer = (path = '/') => eventually(async () => (await fetch(`http://127.0.0.1:${port}${path}`)).text(), 30_000);

describe('a Node app from a Git repository', () => {
  it('is cloned, installed, built and started, and stops gracefully', async () => {
    const app = start();
    expect(await answer()).toBe('hello "you" $HOME from the package production no token');
    for (const line of [
      'INFO clone: main of',
      'INFO install: npm ci --include=dev',
      'INFO build: npm run build',
      'INFO start: ',
    ]) {
      expect(app.output()).toContain(line);
    }
    const slow = answer('/slow');
    await new Promise((resolve) => setTimeout(resolve, 200));
    app.child.kill('SIGTERM');
    expect(await slow).toContain('from the package');
    expect(await app.exit).toBe(0);
    expect(app.output()).toContain('app hears SIGTERM');
  });

  it('is not built again when nothing changed, even when the repository is away', async () => {
    const again = start();
    expect(await answer()).toContain('from the package');
    expect(again.output()).toContain('is built already');
    expect(again.output()).not.toContain('npm ci');
    again.child.kill('SIGTERM');
    await again.exit;

    const gitPort = Number(new URL(git.url).port);
    await git.close();
    const without = start();
    expect(await answer()).toContain('from the package');
    expect(without.output()).toMatch(/WARN .*cannot be read.*before is started/);
    without.child.kill('SIGTERM');
    await without.exit;
    git = await startGitServer(join(directory, 'repositories'), { port: gitPort });
  });

  it('follows its branch, and stays at a tag', async () => {
    git.commit('app', { 'packages/greet/index.js': 'module.exports = () => "a new greeting";' });
    const latest = start();
    expect(await answer()).toMatch(/^a new greeting/);
    latest.child.kill('SIGTERM');
    await latest.exit;
    const tagged = start({ REFERENCE: 'v1' });
    expect(await answer()).toContain('from the package');
    tagged.child.kill('SIGTERM');
    await tagged.exit;
  });

  it.each([
    [
      'a repository that is not there',
      { REPOSITORY: 'nothing' },
      /ERROR .*nothing\.git cannot be read \(HTTP 404\): check the address/,
    ],
    ['a branch that is not there', { REFERENCE: 'nope' }, /ERROR .*has no branch or tag "nope"; it has main, v1/],
    ['a folder that is not there', { SUBDIRECTORY: 'nope' }, /ERROR the repository has no folder "nope"/],
    ['a folder outside', { SUBDIRECTORY: '../..' }, /ERROR the folder "..\/.." leads out of the repository/],
    [
      'a build that fails',
      { BUILD_COMMAND: 'npm run broken' },
      /ERROR the build failed with exit code 3: npm run broken/,
    ],
    [
      'a script that is not there',
      { START_COMMAND: 'npm run serve' },
      /ERROR package.json has no script "serve" \(it has build, start, broken\)/,
    ],
    ['a variable that is none', { APP_SECRETS: 'A=1\nsecret stuff' }, /ERROR line 2 of APP_SECRETS is not NAME=value/],
    [
      'an app that ends',
      { START_COMMAND: 'node -e "process.exit(7)"' },
      /ERROR the app ended by itself with exit code 7/,
    ],
  ])('says what is wrong with %s', async (_what, environment: Record<string, string>, expected) => {
    const { REPOSITORY } = environment;
    const app = start(
      { ...environment, ...(REPOSITORY ? { REPOSITORY: `${git.url}/${REPOSITORY}.git` } : {}) },
      'other',
    );
    expect(await app.exit).not.toBe(0);
    expect(app.output()).toMatch(expected);
    expect(app.output()).not.toContain('secret stuff');
  });

  it('reads a private repository with its token alone', async () => {
    const closed = await startGitServer(join(directory, 'repositories'), { token: 'let me in' });
    const repository = `${closed.url}/app.git`;
    const refused = start({ REPOSITORY: repository, REPOSITORY_TOKEN: '' }, 'private');
    expect(await refused.exit).toBe(1);
    expect(refused.output()).toMatch(/cannot be read \(HTTP 401\).*give a token/);
    const app = start(
      { REPOSITORY: repository, REPOSITORY_TOKEN: 'let me in', BUILD_COMMAND: '', START_COMMAND: 'node server.js' },
      'private',
    );
    expect(await answer()).toMatch(/no token$/);
    expect(app.output()).not.toContain('let me in');
    app.child.kill('SIGTERM');
    await app.exit;
    await closed.close();
  });
});

describe('variables', () => {
  it('are taken byte for byte behind the first "="', () => {
    expect(parseVariables('X', '# a note\n\nA=b=c "d" \r\n  B=\nC_1= x')).toEqual({ A: 'b=c "d" ', B: '', C_1: ' x' });
  });
});
