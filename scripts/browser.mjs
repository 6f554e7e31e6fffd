// Finds a browser for the tests: an installed one, else one that an npm package carries, else Debian's.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installTools } from './install.mjs';
import { PlainError, run, step } from './steps.mjs';

const PROGRAMS = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser', 'chrome'];
// Not the package's own list, which also turns off what keeps one site's pages from another's: that is tested here.
const CARRIED_PARAMETERS = [
  '--headless=shell',
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--font-render-hinting=none',
];
const MAC_PROGRAM = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** What the tests are told: CHROME is the program, CHROME_ARGS its arguments as a JSON list. */
export async function browserEnvironment() {
  const { path, parameters, from } = await findBrowser();
  console.log(`The browser is ${from}: ${path}`);
  return { CHROME: path, CHROME_ARGS: JSON.stringify(parameters) };
}

async function findBrowser() {
  const given = process.env.CHROME;
  if (given) {
    if (existsSync(given)) return { path: given, parameters: sandboxParameters(), from: 'the one that CHROME names' };
    throw new PlainError(`CHROME names ${given}, which is not there`);
  }
  return (await installedBrowser()) ?? (await carriedBrowser()) ?? (await debianBrowser());
}

async function installedBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = [...PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))), MAC_PROGRAM];
  for (const path of places) {
    if (existsSync(path) && (await starts(path))) return { path, parameters: sandboxParameters(), from: 'installed' };
  }
  return undefined;
}

/** For x86-64 Linux; it needs nothing of the system and no rights. */
async function carriedBrowser() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const tools = await installTools('test/tools');
  const entry = join(tools, 'node_modules/@sparticuz/chromium/build/esm/index.js');
  const { default: chromium } = await import(pathToFileURL(entry).href);
  chromium.setGraphicsMode = false;
  const path = await step('Unpacking a browser', () => chromium.executablePath());
  return (await starts(path)) ? { path, parameters: CARRIED_PARAMETERS, from: 'carried by an npm package' } : undefined;
}

async function debianBrowser() {
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await step('Installing Chromium', async () => {
      await run('apt-get', ['update', '-q']);
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], { env });
    });
    const found = await installedBrowser();
    if (found) return found;
  }
  throw new PlainError('the browser tests need Chrome or Chromium: install one, or set CHROME to its path');
}

async function starts(path) {
  try {
    await run(path, ['--version', ...sandboxParameters()], { quiet: true });
    return true;
  } catch {
    // Such as a stub that only says how to install the real one.
    return false;
  }
}

/** Chrome refuses to run its sandbox as root. */
function sandboxParameters() {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}
