// Makes the images: a folder each, with all that its program needs (docs/adr/0015-what-an-image-is.md).
//   main.mjs             from src/NAME/main.ts, with every package that it imports
//   preload.mjs          from preload.ts, where there is one: for the programs that main.mjs starts
//   browser.js, .css     from browser.ts, where there is one: for the pages that main.mjs serves
//   node_modules/        what src/NAME/package.json names, where there is one: packages that cannot be part of a file
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installTools } from './install.mjs';
import { root } from './steps.mjs';

const source = join(root, 'images/src');

export function imageNames() {
  return readdirSync(source).filter((name) => existsSync(join(source, name, 'main.ts')));
}

/** Makes one image as `directory/NAME`; returns the path of its program. */
export async function buildImage(name, directory) {
  const esbuild = await import('esbuild');
  const from = join(source, name);
  const to = join(directory, name);
  const beside = await copyPackages(name, to);
  const programs = ['main', 'preload'].filter((entry) => existsSync(join(from, `${entry}.ts`)));
  await esbuild.build({
    ...COMMON,
    platform: 'node',
    target: 'node20.19',
    entryPoints: programs.map((entry) => join(from, `${entry}.ts`)),
    outdir: to,
    outExtension: { '.js': '.mjs' },
    external: [...OPTIONAL_PACKAGES, ...beside],
    // Packages written for CommonJS ask for Node's modules by `require`.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  });
  if (existsSync(join(from, 'browser.ts'))) {
    await esbuild.build({ ...COMMON, ...FOR_BROWSERS, entryPoints: [join(from, 'browser.ts')], outdir: to });
  }
  return join(to, 'main.mjs');
}

const COMMON = { bundle: true, format: 'esm', sourcemap: true, logLevel: 'warning', absWorkingDir: root };
const FOR_BROWSERS = { platform: 'browser', target: 'es2022', minify: true };
/** Asked for by a package that does without them. */
const OPTIONAL_PACKAGES = ['pg-native', 'pg-cloudflare', 'bufferutil', 'utf-8-validate'];

async function copyPackages(name, to) {
  const folder = `images/src/${name}`;
  if (!existsSync(join(root, folder, 'package.json'))) return [];
  const { dependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const packages = join(await installTools(folder), 'node_modules');
  cpSync(packages, join(to, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  return Object.keys(dependencies);
}
