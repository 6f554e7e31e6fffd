// What `npm run lint` runs: style and mistakes (Biome), then the directions of imports (dependency-cruiser).
import { join } from 'node:path';
import { install, installTools } from './install.mjs';
import { reportAndExit, requireNode, root, run, step } from './steps.mjs';

const FOLDERS = ['packages', 'images', 'scripts', 'test'];

try {
  requireNode();
  await install();
  await step('Checking style', () => run(join(root, 'node_modules/.bin/biome'), ['check', '--error-on-warnings', '.']));
  const tools = await installTools('scripts/lint');
  const cruise = [
    join(tools, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
    '--config',
    '.dependency-cruiser.cjs',
  ];
  const report = await step('Checking the directions of imports', () => run(process.execPath, [...cruise, ...FOLDERS]));
  // A parser that is missing reads nothing and finds nothing wrong.
  const modules = Number(/(\d+) modules/.exec(report)?.[1] ?? 0);
  if (modules < 100) throw new Error(`only ${modules} modules were looked at: dependency-cruiser reads no TypeScript`);
} catch (error) {
  reportAndExit(error);
}
