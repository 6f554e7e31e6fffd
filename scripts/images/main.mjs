// npm run images: the images of Berth and of what ships with it, without a container engine (docs/guides/images.md). What makes them is
// TypeScript and needs packages, which this brings first.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildIfChanged } from '../build.mjs';
import { install } from '../install.mjs';
import { reportAndExit, requireNode } from '../steps.mjs';

try {
  requireNode();
  await install();
  if (!process.argv.includes('--help')) await buildIfChanged();
  const program = fileURLToPath(new URL('make-images.ts', import.meta.url));
  const parameters = ['--import', 'tsx', program, ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, parameters, { stdio: 'inherit' }).status ?? 1;
} catch (error) {
  reportAndExit(error);
}
