// Makes dist/: main.js and berth.js with their chunks, images/NAME/, web/, templates/, migrations/.
// Everything is built beside the old one and put in its place at the end, so that an interrupted build breaks nothing.
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildImage, imageNames } from './images.mjs';
import { install } from './install.mjs';
import { hashOfBuild, hashOfSources } from './sources.mjs';
import { PlainError, reportAndExit, requireNode, root, run, step } from './steps.mjs';

const unfinished = join(root, 'dist.new');

/**
 * Builds when the sources are not those of the last build. In a process of its own: what a build takes in memory would stay with
 * whoever asked for it.
 */
export async function buildIfChanged() {
  if (hashOfBuild() === hashOfSources()) return;
  await run(process.execPath, [fileURLToPath(import.meta.url)], { show: true });
}

const PARTS = { programs: buildPrograms, images: buildImages, web: buildWeb };

/** With names of parts only those are made anew; then the build does not count as finished. */
async function build(hash, parts = Object.keys(PARTS)) {
  rmSync(unfinished, { recursive: true, force: true });
  const whole = parts.length === Object.keys(PARTS).length;
  if (!whole && existsSync(join(root, 'dist'))) cpSync(join(root, 'dist'), unfinished, { recursive: true });
  if (parts.includes('images')) rmSync(join(unfinished, 'images'), { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  rmSync(join(unfinished, '.stamp'), { force: true });
  await Promise.all(parts.map((part) => PARTS[part]()));
  copyData();
  if (whole) writeFileSync(join(unfinished, '.stamp'), `${hash}\n`);
  putInPlace();
}

function readParts(parameters) {
  const unknown = parameters.find((part) => !Object.hasOwn(PARTS, part));
  if (unknown !== undefined)
    throw new PlainError(`there is no part "${unknown}" to build; the parts are ${Object.keys(PARTS).join(', ')}`);
  return parameters.length > 0 ? parameters : undefined;
}

/** Packages of npm stay where they are; only what each mode needs of ours is loaded, hence the chunks. */
async function buildPrograms() {
  const esbuild = await import('esbuild');
  const cli = join(root, 'packages/cli/src/main.ts');
  await esbuild.build({
    ...COMMON,
    entryPoints: { main: join(root, 'packages/server/src/main.ts'), ...(existsSync(cli) && { berth: cli }) },
    outdir: unfinished,
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    plugins: [{ name: 'npm-packages-stay-outside', setup: keepPackagesOutside }],
  });
}

async function buildImages() {
  await Promise.all(imageNames().map((name) => buildImage(name, join(unfinished, 'images'))));
}

async function buildWeb() {
  if (!existsSync(join(root, 'packages/web/vite.config.ts'))) return;
  // React's development build is several times as large.
  process.env.NODE_ENV = 'production';
  const vite = await import('vite');
  await vite.build({
    configFile: join(root, 'packages/web/vite.config.ts'),
    mode: 'production',
    logLevel: 'warn',
    build: { outDir: join(unfinished, 'web'), emptyOutDir: true },
  });
}

const COMMON = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: true,
  logLevel: 'warning',
  absWorkingDir: root,
};

function keepPackagesOutside(build) {
  build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
    if (kind === 'entry-point' || path.startsWith('@berth/')) return undefined;
    return { path, external: true };
  });
}

/** What is read at run time. */
function copyData() {
  for (const [from, to] of [
    ['templates', 'templates'],
    ['packages/server/src/db/migrations', 'migrations'],
  ]) {
    if (existsSync(join(root, from))) cpSync(join(root, from), join(unfinished, to), { recursive: true });
  }
  // Code that finds migrations beside itself may end up in a chunk.
  if (existsSync(join(unfinished, 'migrations')))
    cpSync(join(unfinished, 'migrations'), join(unfinished, 'chunks/migrations'), { recursive: true });
}

function putInPlace() {
  const dist = join(root, 'dist');
  const old = join(root, 'dist.old');
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(unfinished, dist);
  rmSync(old, { recursive: true, force: true });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    requireNode();
    await install();
    const parts = readParts(process.argv.slice(2));
    await step('Building', () => build(hashOfSources(), parts));
  } catch (error) {
    reportAndExit(error);
  }
}
