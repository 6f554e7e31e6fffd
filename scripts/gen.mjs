// Writes the generated files of the repository; with --check only says which are not what they should be.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install } from './install.mjs';
import { PlainError, reportAndExit, requireNode, root } from './steps.mjs';

try {
  requireNode();
  await install();
  const { generatedFiles, GENERATED_FOLDERS } = await loadGenerator();
  const wanted = new Map(Object.entries(generatedFiles()));
  const present = GENERATED_FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  );
  const leftOver = present.filter((path) => !wanted.has(path));
  const changed = [...wanted].filter(([path, text]) => read(path) !== text).map(([path]) => path);
  if (process.argv.includes('--check')) check([...changed, ...leftOver]);
  else write(wanted, { changed, leftOver });
} catch (error) {
  reportAndExit(error);
}

function check(wrong) {
  if (wrong.length > 0) throw new PlainError(`not what "npm run gen" makes; run it and commit: ${wrong.join(', ')}`);
  console.log('Generated files are up to date.');
}

function write(wanted, { changed, leftOver }) {
  for (const path of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), wanted.get(path));
    console.log(`wrote ${path}`);
  }
  for (const path of leftOver) {
    rmSync(join(root, path));
    console.log(`removed ${path}`);
  }
  if (changed.length + leftOver.length === 0) console.log('Generated files are up to date.');
}

/** TypeScript becomes one file beside the packages that it imports. */
async function loadGenerator() {
  const esbuild = await import('esbuild');
  const outfile = join(root, 'node_modules/.cache/berth/generated-files.mjs');
  await esbuild.build({
    entryPoints: [join(root, 'scripts/gen/generated-files.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
    absWorkingDir: root,
    external: ['yaml', 'zod', '@noble/*'],
  });
  return import(pathToFileURL(outfile).href);
}

function read(path) {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
}
