import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Berth, berthAt, testFolder } from './berth.ts';
import { inspect, openBrowser } from './browser.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const run = promisify(execFile);

/** A whole Berth of its own, a browser on it, and the two other ways in. */
export interface Journey {
  berth: Berth;
  browser: Browser;
  page: Page;
  port: number;
  folder: string;
  screens: string;
  /** What axe found on any page in any look, what pages threw and what their policy refused; a last step wants none. */
  problems: string[];
  /** The address of an app. */
  app(name: string, path?: string): string;
  /** Pictures of the page in every look; what axe finds goes to the problems. */
  inspect(name: string): Promise<void>;
  berthCommand(...args: string[]): Promise<string>;
  kubectl(...args: string[]): Promise<string>;
  /** A word on the page, outside its frame. */
  word(word: string | RegExp): Locator;
  end(): Promise<void>;
}

export async function startJourney({ name, port }: { name: string; port: number }): Promise<Journey> {
  const folder = testFolder(`berth-${name}-`);
  const screens = join(root, 'test-results/screens');
  const berth = berthAt({ main: join(root, 'dist/main.js'), data: join(folder, 'data'), port });
  await berth.start();
  const browser = await openBrowser();
  const page = await browser.newPage({ baseURL: berth.url });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`the page threw ${error.message}`));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) problems.push(message.text());
  });
  return {
    berth,
    browser,
    page,
    port,
    folder,
    screens,
    problems,
    app: (app, path = '/') => `http://${app}.localhost:${port}${path}`,
    async inspect(shot) {
      problems.push(...(await inspect(page, shot, screens)));
    },
    async berthCommand(...args) {
      const env = { ...process.env, BERTH_URL: berth.url, XDG_CONFIG_HOME: join(folder, 'config'), NO_COLOR: '1' };
      return (await run(process.execPath, [join(root, 'dist/berth.js'), ...args], { env })).stdout;
    },
    async kubectl(...args) {
      const kubeconfig = JSON.parse(readFileSync(join(berth.data, 'berth.json'), 'utf8')).kubeconfig as string;
      return (await run(process.env.KUBECTL ?? 'kubectl', ['--kubeconfig', kubeconfig, ...args])).stdout;
    },
    word: (word) => page.getByRole('main').getByText(word, { exact: true }).first(),
    async end() {
      await browser.close();
      await berth.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
