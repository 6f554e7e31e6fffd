import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/berth.ts';
import { type Journey, startJourney } from '../support/journey.ts';
import type { Platform } from '../support/platform.ts';
import { startPlatform } from '../support/target.ts';

/** What a person can do, in the order in which they would. */
let journey: Journey;
let platform: Platform;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  platform = await startPlatform('journey');
  journey = await startJourney(platform);
  ({ browser, page } = journey);
});
afterAll(() => journey?.end());

const app = (name: string, path = '/') => platform.app(name, path);
const state = (word: string | RegExp) => journey.word(word);
const berthCommand = (...args: string[]) => platform.berthCommand(...args);
const kubectl = (...args: string[]) => platform.kubectl(...args);
const team = () => /\/teams\/([^/]+)/.exec(page.url())?.[1] ?? '';
const podNames = async () => (await platform.pods()).map(({ metadata }) => metadata.name);

const PAGES: Record<string, (team: string) => string> = {
  dashboard: (team) => `/teams/${team}`,
  deployments: (team) => `/teams/${team}/deployments`,
  logs: (team) => `/teams/${team}/deployments/guestbook/logs`,
  secrets: (team) => `/teams/${team}/deployments/guestbook/secrets`,
  history: (team) => `/teams/${team}/deployments/guestbook/history`,
  'new-template': (team) => `/teams/${team}/new-template`,
  members: (team) => `/teams/${team}/members`,
  usage: (team) => `/teams/${team}/usage`,
  audit: (team) => `/teams/${team}/audit`,
  account: (team) => `/teams/${team}/account`,
  missing: (team) => `/teams/${team}/nowhere`,
  'api-docs': () => '/api/docs',
};

describe('a person', () => {
  it('signs in and sees an empty dashboard', async () => {
    await platform.signIn(page);
    expect(await page.getByText(platform.account).count()).toBeGreaterThan(0);
    await journey.inspect('dashboard-empty');
  });

  it('picks Guestbook in the catalogue and fills a typed form that says what is wrong', async () => {
    await page.getByRole('link', { name: 'Catalogue' }).first().click();
    await page.getByRole('heading', { name: 'Catalogue', level: 1 }).waitFor();
    await journey.inspect('catalogue');
    await page.getByRole('link', { name: /Guestbook/ }).click();
    await page.getByRole('heading', { name: 'Deploy Guestbook' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Not a name');
    await page.getByLabel('Entries on the page').fill('9999');
    await page.getByRole('button', { name: 'Deploy' }).click();
    await page
      .getByText(/at most 500/)
      .first()
      .waitFor();
    await journey.inspect('deploy-errors');
    await page.getByLabel('Name', { exact: true }).fill('guestbook');
    await page.getByLabel('Entries on the page').fill('20');
    await page.getByLabel('Title').fill('Our guests');
    await page.getByRole('button', { name: 'Deploy' }).click();
  });

  it('watches it start, live, until it runs', async () => {
    await page.getByRole('heading', { name: 'guestbook', level: 1 }).waitFor();
    await state('Running').waitFor({ timeout: 90_000 });
    await journey.inspect('deployment');
  });

  it('writes into it, and what was written outlives a restart of the deployment and of Berth', async () => {
    const guest = await browser.newPage();
    const entries = async () => {
      await guest.goto(app('guestbook'));
      return await guest.textContent('body');
    };
    await journey.answers('guestbook');
    await guest.goto(app('guestbook'));
    await guest.getByLabel('Name').fill('Somebody');
    await guest.getByLabel('Message').fill('I was here');
    await guest.getByRole('button').first().click();
    await guest.getByText('I was here').waitFor();
    expect(await entries()).toContain('I was here');
    expect(await entries()).toContain('Our guests');
    await guest.screenshot({ path: join(journey.screens, 'guestbook-app.png') });

    const before = await podNames();
    await page.getByRole('button', { name: 'Restart', exact: true }).click();
    // A service with a volume is replaced, which is said before.
    await page.getByRole('dialog').getByText('will be down for some seconds').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Restart guestbook' }).click();
    await until('every pod is replaced', 60_000, async () => (await podNames()).every((pod) => !before.includes(pod)));
    await state('Running').waitFor({ timeout: 60_000 });
    await until('the page answers again', 30_000, async () => (await guest.goto(app('guestbook')))?.ok() ?? false);
    expect(await entries()).toContain('I was here');

    await platform.restart();
    await until(
      'the page answers after a restart of Berth',
      60_000,
      async () => (await guest.goto(app('guestbook')).catch(() => undefined))?.ok() ?? false,
    );
    expect(await entries()).toContain('I was here');
    await guest.close();
  });

  it('sees at once when the server is away, and catches up when it is back', async () => {
    await page.goto('/');
    await page.getByText('live', { exact: true }).first().waitFor();
    await platform.kill('server');
    await page
      .getByText(/disconnected|reconnecting|not connected/i)
      .first()
      .waitFor({ timeout: 10_000 });
    await page.getByText('live', { exact: true }).first().waitFor({ timeout: 30_000 });
  });

  it('sees a deployment through although server and operator are killed in the middle of it', async () => {
    await page.goto('/');
    await page.getByRole('link', { name: 'Catalogue' }).first().click();
    await page.getByRole('link', { name: /Whoami/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('survivor');
    await page.getByRole('button', { name: 'Deploy' }).click();
    await page.getByRole('heading', { name: 'survivor', level: 1 }).waitFor();
    for (const role of ['server', 'operator'] as const) await platform.kill(role);
    // The page is not touched: it comes back by itself and ends at the truth, within a minute.
    await state('Running').waitFor({ timeout: 60_000 });
    await journey.answers('survivor');
    await page.goto(`${new URL(page.url()).pathname}/delete`);
    await page.getByLabel('Type survivor to confirm').fill('survivor');
    await page.getByRole('button', { name: 'Delete survivor' }).click();
    await until('survivor is gone', 60_000, async () => (await journey.ask('survivor')).status === 404);
    await page.goto('/');
  });

  it('stops, starts and edits it', async () => {
    await page.getByRole('main').getByRole('link', { name: 'guestbook' }).first().click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await state('Stopped').waitFor({ timeout: 60_000 });
    // Those that end in peace take a moment longer than the answers that they no longer give.
    await until('no pod is left', 30_000, async () => (await podNames()).length === 0);
    await page.getByRole('button', { name: 'Start' }).click();
    await state('Running').waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Our dear guests');
    await journey.inspect('deployment-settings');
    await page.getByRole('button', { name: /^(Save|Update|Apply)/ }).click();
    const guest = await browser.newPage();
    await until('the new title is served', 60_000, async () => {
      await guest.goto(app('guestbook')).catch(() => undefined);
      return (await guest.textContent('body'))?.includes('Our dear guests') ?? false;
    });
    expect(await guest.textContent('body')).toContain('I was here');
    await guest.close();
  });

  it.each(Object.entries(PAGES))('finds the page %s right in light, dark and on a phone', async (name, pathIn) => {
    await page.goto(pathIn(team()));
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    // The network is never idle while events come: what is loading says so.
    await page.locator('.skeleton').first().waitFor({ state: 'hidden', timeout: 10_000 });
    if (name === 'logs')
      await page
        .getByRole('log')
        .getByText(/listens on/)
        .first()
        .waitFor();
    await journey.inspect(name);
  });

  it('does the same with berth and with kubectl', async () => {
    await platform.signInCommand();
    expect(await berthCommand('list')).toMatch(/guestbook\s+.*Running/);
    expect(JSON.parse(await berthCommand('status', 'guestbook', '-o', 'json')).name).toBe('guestbook');
    await berthCommand('deploy', 'whoami', 'hello', '--set', 'greeting=Good day', '--wait');
    await journey.answers('hello');
    expect((await journey.ask('hello', { accept: 'text/plain' })).text).toContain('Good day');

    const table = await kubectl('get', 'userdeployments.berth.dev', '-A');
    expect(table).toMatch(/guestbook\s+Running\s+True\s+complete\s+https?:/);
    expect(table).toContain(app('guestbook').replace(/\/$/, ''));
    const namespace = /^(berth-\S+)/m.exec(table)?.[1] ?? '';
    expect(await kubectl('-n', namespace, 'describe', 'userdeployment', 'hello')).toContain('Good day');
    const file = join(platform.folder, 'applied.yaml');
    writeFileSync(
      file,
      `apiVersion: berth.dev/v1alpha1
kind: UserDeployment
metadata: {name: applied, namespace: ${namespace}}
spec:
  services:
    - name: web
      image: berth.dev/whoami:1
      env: [{name: GREETING, value: "from kubectl $(HOME) $$"}]
      ports: [{name: http, port: 8080}]
  exposure: [{host: applied.${platform.domain}, service: web, port: http}]
`,
    );
    await kubectl('apply', '-f', file);
    await page.goto('/');
    await page.getByRole('link', { name: 'applied' }).first().waitFor({ timeout: 30_000 });
    await until('what kubectl applied answers', 60_000, async () => (await journey.ask('applied')).status === 200);
    expect((await journey.ask('applied', { accept: 'text/plain' })).text).toContain('from kubectl $(HOME) $$');
    await kubectl('delete', '-f', file, '--timeout=60s');
    await berthCommand('delete', 'hello', '--yes');
  });

  it('is safe from a page of another origin in the same browser', async () => {
    await berthCommand('deploy', 'whoami', 'evil', '--wait');
    await journey.answers('evil');
    const foreign = await (await browser.newContext({ storageState: await page.context().storageState() })).newPage();
    await foreign.goto(app('evil'));
    const attempts = await foreign.evaluate(async (platform) => {
      const tries: [string, RequestInit][] = [
        ['/api/me', { credentials: 'include' }],
        ['/api/deployments', { credentials: 'include', mode: 'no-cors' }],
        ['/api/login/dev', { method: 'POST', credentials: 'include' }],
        [
          '/api/tokens',
          {
            method: 'POST',
            credentials: 'include',
            headers: { 'content-type': 'application/json', 'x-berth-request': '1' },
            body: '{"name":"stolen"}',
          },
        ],
        [
          '/api/tokens',
          {
            method: 'POST',
            credentials: 'include',
            mode: 'no-cors',
            headers: { 'content-type': 'text/plain' },
            body: '{"name":"stolen"}',
          },
        ],
      ];
      return await Promise.all(
        tries.map(([path, init]) =>
          fetch(platform + path, init).then(
            (response) => (response.type === 'opaque' ? 'opaque' : `read ${response.status}`),
            () => 'blocked',
          ),
        ),
      );
    }, platform.url);
    expect(attempts.filter((each) => each.startsWith('read'))).toEqual([]);
    await page.goto('/');
    const tokens = await page.evaluate(() => fetch('/api/tokens').then((response) => response.text()));
    expect(tokens).not.toContain('stolen');
    await foreign.context().close();
    await berthCommand('delete', 'evil', '--yes');
  });

  it('deletes it after a page that lists what will go, and nothing is left', async () => {
    await page.goto('/');
    await page.getByRole('main').getByRole('link', { name: 'guestbook' }).first().click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: /Delete/ }).click();
    await page.getByText('What will be gone').waitFor();
    for (const word of ['Volume', 'Secret', 'Address', 'Service'])
      await page.getByText(word, { exact: true }).first().waitFor();
    await journey.inspect('delete');
    await page.getByLabel('Type guestbook to confirm').fill('guestbook');
    await page.getByRole('button', { name: 'Delete guestbook' }).click();
    let left: string[] = [];
    await until('nothing is left', 90_000, async () => {
      left = await platform.left();
      return left.length === 0;
    }).catch(() => undefined);
    expect(left).toEqual([]);
  });

  it('met no page on which anything is wrong', () => {
    expect(journey.problems).toEqual([]);
  });
});
