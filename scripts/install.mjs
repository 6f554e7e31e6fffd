// Brings node_modules to what package-lock.json says, and does nothing when it is there already. Node's own modules only.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { reportAndExit, requireNode, root, run, step } from './steps.mjs';

export async function install() {
  if (isInstalled()) return;
  await step('Installing packages', () =>
    run('npm', ['ci', '--no-audit', '--no-fund'], { env: { ...process.env, NODE_ENV: '' } }),
  );
}

/** Packages that only some commands need have a folder, and a lock, of their own. Returns the folder's path. */
export async function installTools(folder) {
  const cwd = join(root, folder);
  if (!isInstalled(cwd)) {
    await step(`Installing ${folder}`, () => run('npm', ['ci', '--no-audit', '--no-fund'], { cwd }));
  }
  return cwd;
}

/**
 * npm writes what it installed to node_modules/.package-lock.json, last of all. It is compared with what is wanted; packages for other
 * machines are in one and not in the other.
 */
export function isInstalled(directory = root) {
  const installed = packagesIn(join(directory, 'node_modules/.package-lock.json'));
  const wanted = packagesIn(join(directory, 'package-lock.json'));
  if (!installed || !wanted) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || !path.includes('node_modules/') || entry.link) return true;
    const there = installed[path];
    return there ? there.version === entry.version && there.integrity === entry.integrity : entry.optional === true;
  });
}

function packagesIn(file) {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    // Cut short: as good as not there.
    return undefined;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    requireNode();
    await install();
  } catch (error) {
    reportAndExit(error);
  }
}
