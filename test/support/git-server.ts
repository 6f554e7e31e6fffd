import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';

/** Git repositories served over HTTP from a folder, as a hoster does: `URL/NAME.git`. Needs git. */
export interface GitServer {
  url: string;
  /** Makes a commit with these files on a branch of a repository that is made with it; a tag as well if it is named. */
  commit(repository: string, files: Record<string, string>, on?: { branch?: string; tag?: string }): void;
  close(): Promise<void>;
}

/** With a token, whoever does not send it as Basic password is refused. */
export async function startGitServer(
  folder: string,
  { token, port = 0, address = '127.0.0.1' }: { token?: string; port?: number; address?: string } = {},
): Promise<GitServer> {
  const server = createServer((request, response) => {
    if (token !== undefined && passwordOf(request) !== token) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    answer(folder, request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  return {
    url: `http://${address}:${(server.address() as { port: number }).port}`,
    commit: (repository, files, on) => commit(join(folder, repository), files, on),
    close: () => closed(server),
  };
}

function commit(path: string, files: Record<string, string>, { branch = 'main', tag = '' } = {}): void {
  const git = (...parameters: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...parameters], {
      cwd: path,
      stdio: 'ignore',
    });
  mkdirSync(path, { recursive: true });
  git('init', '-q', '-b', branch);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', 'A change');
  if (tag) git('tag', '-a', tag, '-m', tag);
}

/** The two requests of the smart protocol. */
function answer(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const match = /^\/([a-z-]+)\.git\/(info\/refs\?service=git-upload-pack|git-upload-pack)$/.exec(request.url ?? '');
  if (!match?.[1] || !existsSync(join(folder, match[1]))) {
    response.writeHead(404).end();
    return;
  }
  const advertises = match[2] !== 'git-upload-pack';
  const kind = advertises ? 'advertisement' : 'result';
  response.writeHead(200, { 'content-type': `application/x-git-upload-pack-${kind}` });
  if (advertises) response.write('001e# service=git-upload-pack\n0000');
  const options = ['--stateless-rpc', ...(advertises ? ['--advertise-refs'] : [])];
  const protocol = request.headers['git-protocol'];
  const child = spawn('git', ['-c', 'safe.directory=*', 'upload-pack', ...options, join(folder, match[1])], {
    env: { ...process.env, ...(protocol ? { GIT_PROTOCOL: String(protocol) } : {}) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const body = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
  child.stdin.on('error', () => undefined);
  body.pipe(child.stdin);
  child.stdout.pipe(response);
}

function passwordOf(request: IncomingMessage): string {
  const pair = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
