import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The volume: what was built, npm's cache, a home, and the programs `node`, `npm` and `npx` that the image carries. */
export interface Workplace {
  source: string;
  environment: Record<string, string>;
  built(): Promise<Built | undefined>;
  setBuilt(built: Built | undefined): Promise<void>;
  /** An empty folder beside the source, and how it takes its place. */
  startFresh(): Promise<{ directory: string; adopt: () => Promise<void> }>;
}

export interface Built {
  commit: string;
  reference: string;
  key: string;
}

const NPM = fileURLToPath(new URL('./node_modules/npm/bin/', import.meta.url));

export async function openWorkplace(root: string, path: string): Promise<Workplace> {
  const [source, fresh, mark] = ['source', 'source.new', 'built.json'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const [programs, home, cache] = ['bin', 'home', 'npm-cache'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [programs, home, cache]) await mkdir(directory, { recursive: true });
  await writePrograms(programs);
  return {
    source,
    environment: {
      PATH: `${programs}:${path}`,
      HOME: home,
      npm_config_cache: cache,
      npm_config_update_notifier: 'false',
      npm_config_fund: 'false',
      npm_config_audit: 'false',
      npm_config_progress: 'false',
    },
    async built() {
      try {
        return JSON.parse(await readFile(mark, 'utf8')) as Built;
      } catch (error) {
        if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async setBuilt(built) {
      await rm(mark, { force: true });
      if (!built) return;
      await writeFile(`${mark}.new`, JSON.stringify(built));
      await rename(`${mark}.new`, mark);
    },
    async startFresh() {
      await rm(fresh, { recursive: true, force: true });
      await mkdir(fresh);
      return {
        directory: fresh,
        async adopt() {
          await rm(source, { recursive: true, force: true });
          await rename(fresh, source);
        },
      };
    },
  };
}

/** Written at each start: where Node and the image lie changes with their versions. */
async function writePrograms(directory: string): Promise<void> {
  await rm(join(directory, 'node'), { force: true });
  await symlink(process.execPath, join(directory, 'node'));
  for (const name of ['npm', 'npx']) {
    const file = join(directory, name);
    await writeFile(file, `#!/bin/sh\nexec "${process.execPath}" "${NPM}${name}-cli.js" "$@"\n`);
    await chmod(file, 0o755);
  }
}
