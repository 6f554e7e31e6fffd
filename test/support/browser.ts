import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Where Debian, Ubuntu, Fedora and macOS keep a Chromium or Chrome; `CHROME` wins. */
const PLACES = [
  process.env.CHROME,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Without these a browser asks its maker's hosts all the time. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Resolves and trusts what the given arguments say besides what it always does. */
export async function openBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = PLACES.find((place) => place !== undefined && existsSync(place));
  if (executablePath === undefined) throw new Error('no Chromium found; set CHROME to the path of one');
  return await chromium.launch({ executablePath, args: [...ownArguments(), ...QUIET, ...more] });
}

/** What this browser needs, from whoever found it. Chromium refuses its sandbox to root. */
function ownArguments(): string[] {
  if (process.env.CHROME_ARGS) return JSON.parse(process.env.CHROME_ARGS) as string[];
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong on the page, one line each; empty when it finds nothing. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // By the debugger's protocol: the page's own policy allows no foreign script.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then((found) => JSON.stringify(
      found.violations.map((each) => each.id + ': ' + each.nodes.slice(0, 3).map((node) => node.target.join(' ') + ' ' + (node.failureSummary || '')).join(' | '))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return JSON.parse(String(result.value));
}

export interface Look {
  name: string;
  width: number;
  height: number;
  colorScheme: 'light' | 'dark';
}

export const LOOKS: Look[] = [
  { name: 'light', width: 1360, height: 860, colorScheme: 'light' },
  { name: 'dark', width: 1360, height: 860, colorScheme: 'dark' },
  { name: 'phone', width: 390, height: 844, colorScheme: 'light' },
];

/** Keeps pictures of the page in every look and returns what axe finds in any of them. */
export async function inspect(page: Page, name: string, folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const problems: string[] = [];
  for (const look of LOOKS) {
    await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: look.width, height: look.height });
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: join(folder, `${name}-${look.name}.png`) });
    problems.push(...(await accessibilityProblems(page)).map((each) => `${name} (${look.name}): ${each}`));
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 1360, height: 860 });
  return problems;
}
