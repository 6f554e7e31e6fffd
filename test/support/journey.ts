import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { until } from './berth.ts';
import { inspect, openBrowser } from './browser.ts';
import type { Platform } from './platform.ts';
import { visit } from './visit.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** A browser on a platform. */
export interface Journey {
  platform: Platform;
  browser: Browser;
  page: Page;
  screens: string;
  /** What axe found on any page in any look, what pages threw and what their policy refused; a last step wants none. */
  problems: string[];
  /** What an app answers to whoever takes JSON, or what is named. */
  ask(app: string, asking?: { path?: string; accept?: string }): Promise<{ status: number; text: string }>;
  /** What runs is reached a moment later, once whoever routes has heard of it. */
  answers(app: string): Promise<void>;
  /** Pictures of the page in every look; what axe finds goes to the problems. */
  inspect(name: string): Promise<void>;
  /** A word on the page, outside its frame. */
  word(word: string | RegExp): Locator;
  end(): Promise<void>;
}

export async function startJourney(platform: Platform): Promise<Journey> {
  const screens = join(root, 'test-results/screens');
  const browser = await openBrowser(platform.browserArguments);
  const page = await browser.newPage({ baseURL: platform.url });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`the page threw ${error.message}`));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) problems.push(message.text());
  });
  const ask: Journey['ask'] = (app, { path = '/', accept = 'application/json' } = {}) =>
    visit(platform.app(app, path), { headers: { accept } });
  return {
    platform,
    browser,
    page,
    screens,
    problems,
    ask,
    answers: (app) => until(`${app} answers`, 30_000, async () => (await ask(app)).status === 200),
    async inspect(shot) {
      problems.push(...(await inspect(page, shot, screens)));
    },
    word: (word) => page.getByRole('main').getByText(word, { exact: true }).first(),
    async end() {
      await browser.close();
      await platform.end();
    },
  };
}
