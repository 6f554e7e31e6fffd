import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface Kubectl {
  /** Fails the test when kubectl fails, with what it said. Returns what it printed. */
  run(command: string, input?: unknown): Promise<string>;
  /** For what should fail, or warns: everything that comes of it. */
  try(command: string, input?: unknown): Promise<{ code: number; out: string; error: string }>;
  /** Writes a file that commands can name. */
  file(name: string, content: unknown): Promise<string>;
  stop(): Promise<void>;
}

/** The `kubectl` to test with: the one that is named, else the first that is installed. */
export function findKubectl(environment: NodeJS.ProcessEnv): string | undefined {
  const installed = ['/usr/local/bin', ...(environment.PATH ?? '').split(delimiter)].map((folder) =>
    join(folder, 'kubectl'),
  );
  return [environment.KUBECTL, ...installed].find((path) => path !== undefined && path !== '' && existsSync(path));
}

/** Arguments are split at spaces; nothing here needs quotes. `$DIR` is a folder of the test's own. */
export async function startKubectl(program: string, kubeconfig: string): Promise<Kubectl> {
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-'));
  const config = join(directory, 'kubeconfig');
  await writeFile(config, kubeconfig, { mode: 0o600 });
  const environment = {
    HOME: directory,
    PATH: '/usr/bin:/bin',
    KUBECONFIG: config,
    KUBE_EDITOR: join(directory, 'editor'),
  };
  const attempt: Kubectl['try'] = (command, input) =>
    new Promise((resolve) => {
      const words = command.split(' ').map((word) => word.replace('$DIR', directory));
      const options = { env: environment, maxBuffer: 64 * 1024 * 1024 };
      const child = execFile(program, words, options, (failure, out, error) =>
        resolve({ code: failure ? Number(failure.code ?? 1) : 0, out, error }),
      );
      if (input !== undefined) child.stdin?.end(textOf(input));
    });
  return {
    try: attempt,
    async run(command, input) {
      const { code, out, error } = await attempt(command, input);
      if (code !== 0) throw new Error(`kubectl ${command} ended with ${code}: ${error}${out}`);
      return out;
    },
    async file(name, content) {
      const path = join(directory, name);
      await writeFile(path, textOf(content), { mode: 0o755 });
      return path;
    },
    stop: () => rm(directory, { recursive: true, force: true }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
