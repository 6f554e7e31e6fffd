import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/berth.ts';
import { type Journey, startJourney } from '../support/journey.ts';
import type { Platform } from '../support/platform.ts';
import { startPlatform } from '../support/target.ts';

/** What a team does with what already runs, in the order of one day. */
let platform: Platform;
let journey: Journey;
let page: Page;

beforeAll(async () => {
  platform = await startPlatform('day-two');
  journey = await startJourney(platform);
  page = journey.page;
  await platform.signInCommand();
  await platform.berthCommand('deploy', 'whoami', 'shop', '--set', 'greeting=One', '--wait');
  await journey.answers('shop');
});
afterAll(() => journey?.end());

const team = () => new URL(page.url()).pathname.split('/')[2];
const open = async (path: string) => {
  await page.goto(`/teams/${team()}/deployments/shop${path}`);
  await page.getByRole('heading', { level: 1, name: 'shop', exact: true }).waitFor();
};
const dialog = () => page.getByRole('dialog');
const tab = (name: string) => page.getByRole('navigation', { name: 'Parts of shop' }).getByRole('link', { name });
const more = async (item: string) => {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
const greeting = async () => (await journey.ask('shop')).text;
const settled = () => journey.word('Running').waitFor({ timeout: 60_000 });
const podsOf = async (service: string) =>
  (await platform.pods())
    .filter(({ metadata }) => metadata.labels?.['berth.dev/service'] === service)
    .map(({ metadata }) => metadata.name);

/** Asks without pause while `work` goes on; what was not answered well. */
async function whileAsking(work: () => Promise<void>): Promise<string[]> {
  const bad: string[] = [];
  let going = true;
  let asked = 0;
  const asker = (async () => {
    for (; going; asked++) {
      const answer = await journey.ask('shop').catch((error: Error) => ({ status: 0, text: error.message }));
      if (answer.status !== 200) bad.push(`${answer.status} ${answer.text}`);
      await delay(20);
    }
  })();
  await work().finally(() => {
    going = false;
  });
  await asker;
  expect(asked).toBeGreaterThan(10);
  return bad;
}

/** What a platform has kept of an earlier run never changes. */
const MINOR = Math.floor(Date.now() / 1000);
const FIRST_VERSION = `1.${MINOR}.0`;
const SECOND_VERSION = `1.${MINOR}.1`;

const ownTemplate = ({ version = FIRST_VERSION, label = 'What it says', greeting = 'parameters.greeting' } = {}) =>
  `apiVersion: berth.dev/v1alpha1
kind: Template
metadata:
  name: hello
spec:
  kind: deployment
  version: ${version}
  displayName: Hello
  description: Says something.
  category: app
  parameters:
    - { name: greeting, label: ${label}, type: text, default: Hi }
  services:
    - name: web
      image: berth.dev/whoami:1
      env:
        - { name: GREETING, value: "\${{ ${greeting} }}" }
        - { name: PORT, value: "8080" }
      ports: [{ name: http, port: 8080 }]
      probes: { readiness: { http: { path: /healthz, port: http }, periodSeconds: 2 } }
  exposure: { service: web, port: http }
`;

/** Event streams that the servers hold open, as they count them themselves. */
async function openStreams(): Promise<number> {
  const counts = [...(await platform.serverMetrics()).matchAll(/^berth_http_open_streams (\d+)/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

describe('with what runs, a person', () => {
  it('changes a value, sees before what it will do, and no request fails meanwhile', async () => {
    await platform.signIn(page);
    await page.getByRole('main').getByRole('link', { name: 'shop' }).first().click();
    await settled();
    await tab('Settings').click();
    await page.getByLabel('Greeting').fill('Two');
    await page.getByText('web gets new pods beside the old ones: no request fails.').waitFor();
    await journey.inspect('settings-preview');
    const bad = await whileAsking(async () => {
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Updating to revision 2').waitFor();
      await page.getByText('Updating to revision 2').waitFor({ state: 'hidden', timeout: 60_000 });
      await until('the new value is served', 30_000, async () => (await greeting()).includes('Two'));
    });
    expect(bad).toEqual([]);
    await settled();
  });

  it('reads in the history who changed what, and what is different', async () => {
    await tab('History').click();
    await page.getByRole('cell', { name: 'you' }).first().waitFor();
    await journey.inspect('history');
    await page.getByRole('link', { name: /Revision 2/ }).click();
    await page.getByRole('heading', { name: 'Revision 2' }).waitFor();
    const changes = page.getByRole('list', { name: 'Changes' });
    await changes.getByText('Greeting', { exact: true }).waitFor();
    expect(await changes.textContent()).toMatch(/One.*Two/);
    expect(page.url()).toMatch(/\/history\/2$/);
    await journey.inspect('revision');
    await tab('History').click();
    await page.getByRole('button', { name: 'Everything' }).click();
    await page.getByRole('heading', { name: 'Everything that happened' }).waitFor();
    await journey.inspect('timeline');
  });

  it('scales a service', async () => {
    await open('');
    await more('Scale…');
    await dialog().getByLabel('Pods').waitFor();
    await journey.inspect('scale');
    await dialog().getByRole('button', { name: 'One more' }).click();
    await dialog().getByRole('button', { name: 'Scale to 2' }).click();
    await page.getByText('2 of 2 pods ready').waitFor({ timeout: 60_000 });
    expect(await podsOf('web')).toHaveLength(2);
  });

  it('restarts one service after being told what is down meanwhile', async () => {
    const before = await podsOf('web');
    await page.getByRole('button', { name: 'Restart web' }).click();
    await dialog().getByText('New pods come beside the old ones, so no request fails.').waitFor();
    await dialog().getByRole('button', { name: 'Restart web' }).click();
    await until('every pod is another', 60_000, async () => {
      const now = await podsOf('web');
      return now.length === 2 && now.every((pod) => !before.includes(pod));
    });
    await settled();
  });

  it('reads its log, sees what it uses and goes into it', async () => {
    await open('');
    await tab('Logs').click();
    await page
      .getByRole('log')
      .getByText(/listens on/)
      .first()
      .waitFor({ timeout: 30_000 });
    await journey.inspect('logs');
    await tab('Metrics').click();
    // Pods that were just made are measured within two rounds.
    const memory = page.getByRole('table', { name: 'Memory, in figures' });
    await memory
      .getByText(/^\d+(\.\d)? MiB$/)
      .first()
      .waitFor({ timeout: 40_000 });
    await memory.getByRole('cell').first().getByText('MiB').waitFor({ timeout: 40_000 });
    await journey.inspect('metrics');
    await tab('Overview').click();
    await page.getByRole('button', { name: 'Shell in web' }).click();
    const shell = page.getByRole('region', { name: 'Shell in web' });
    await shell.getByRole('textbox').first().focus();
    await until('the shell answers', 30_000, async () => {
      await page.keyboard.type('echo answer-$((20+22))\n');
      await delay(500);
      return (await shell.textContent())?.includes('answer-42') ?? false;
    });
    await journey.inspect('shell');
  });

  it('has ten tabs open at once, all of them live over one stream, and none waits for another', async () => {
    const parts = [
      '',
      '/logs',
      '/metrics',
      '/history',
      '/logs?level=error',
      '/logs?service=web',
      '/settings',
      '/logs?q=GET',
    ];
    const paths = [...parts.map((part) => `/deployments/shop${part}`), '/deployments', ''];
    const home = `/teams/${team()}`;
    // A browser of its own: the page of the other steps would hold a second stream.
    await page.goto('about:blank');
    const context = await journey.browser.newContext({
      baseURL: platform.url,
      storageState: await page.context().storageState(),
    });
    const tabs = await Promise.all(
      paths.map(async (path) => {
        const opened = await context.newPage();
        await opened.goto(`${home}${path}`);
        return opened;
      }),
    );
    await Promise.all(tabs.map((each) => each.getByRole('heading', { level: 1 }).first().waitFor()));
    await until('the tabs share one stream', 20_000, async () => (await openStreams()) === 1);
    // The number beside "Deployments" stands on every page.
    await platform.berthCommand('deploy', 'whoami', 'second', '--wait');
    const count = (each: Page) => each.getByRole('link', { name: /Deployments/ }).filter({ hasText: '2' });
    await Promise.all(tabs.map((each) => count(each).first().waitFor({ timeout: 20_000 })));
    expect(await openStreams()).toBe(1);
    await context.close();
    await platform.berthCommand('delete', 'second', '--yes', '--wait');
    await page.goto(`${home}/deployments/shop`);
    await settled();
  });

  it('pauses, sees that a change waits, and resumes', async () => {
    await open('');
    await more('Pause updates');
    await page.getByText('Updates are paused').waitFor();
    await journey.inspect('paused');
    await tab('Settings').click();
    await page.getByLabel('Greeting').fill('Three');
    await page.getByText('Updates are paused: it waits until you resume.').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page
      .getByText(/Saved as revision/)
      .first()
      .waitFor();
    expect(await greeting()).toContain('Two');
    await page.getByRole('button', { name: 'Resume' }).click();
    await until('the change is served', 60_000, async () => (await greeting()).includes('Three'));
    await page.getByText('Updates are paused').waitFor({ state: 'hidden' });
  });

  it('gives it a name for people', async () => {
    await page.getByRole('button', { name: 'Give it a display name' }).click();
    await page.getByLabel('Display name', { exact: true }).first().fill('The shop');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Rename' }).waitFor();
    await page.getByRole('main').getByText('The shop', { exact: true }).first().waitFor();
  });

  it('adds an address that is free, after being told which is taken, and takes it away', async () => {
    await platform.berthCommand('deploy', 'whoami', 'other', '--wait');
    await open('/settings');
    await page.getByLabel('Add an address').fill('other');
    await page.getByText(/taken/).first().waitFor();
    await page.getByLabel('Add an address').fill('store');
    await page.getByText(`store.${platform.domain} is free.`).waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: `Remove store.${platform.domain}` }).waitFor();
    await until('the new address answers', 60_000, async () => (await journey.ask('store')).status === 200);
    await journey.inspect('addresses');
    await page.getByRole('button', { name: `Remove store.${platform.domain}` }).click();
    await until('it answers no more', 60_000, async () => (await journey.ask('store')).status === 404);
    await platform.berthCommand('delete', 'other', '--yes');
  });

  it('clones it', async () => {
    await open('');
    await more('Clone…');
    expect(await dialog().getByLabel('Name').inputValue()).toBe('shop-2');
    await journey.inspect('clone');
    await dialog().getByRole('button', { name: 'Clone' }).click();
    await page.getByRole('heading', { level: 1, name: 'shop-2' }).waitFor();
    await settled();
    await journey.answers('shop-2');
    expect((await journey.ask('shop-2')).text).toContain('Three');
  });

  it('sees a bad update stop itself while the old version serves, and rolls back', async () => {
    await open('');
    const namespace = /^(berth-\S+)/m.exec(await platform.kubectl('get', 'userdeployments', '-A'))?.[1] ?? '';
    const change = [
      { op: 'replace', path: '/spec/services/0/probes/readiness/http/path', value: '/nowhere' },
      { op: 'add', path: '/spec/services/0/readyWithinSeconds', value: 5 },
    ];
    const bad = await whileAsking(async () => {
      await platform.kubectl(
        '-n',
        namespace,
        'patch',
        'userdeployment',
        'shop',
        '--type=json',
        '-p',
        JSON.stringify(change),
      );
      await page
        .getByText(/^Update to revision \d+ was stopped\. Revision \d+ keeps serving\./)
        .waitFor({ timeout: 60_000 });
    });
    expect(bad).toEqual([]);
    await page
      .getByText(/readiness probe of web/)
      .first()
      .waitFor();
    await journey.word('Running · update stopped').waitFor();
    await journey.inspect('update-stopped');
    await page.goto('/');
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    await page.getByText(/stopped its update/).waitFor();
    await page.getByRole('link', { name: 'See what failed' }).click();
    await page.getByRole('button', { name: /^Roll back to/ }).click();
    await dialog()
      .getByText(/nowhere/)
      .first()
      .waitFor();
    await journey.inspect('rollback');
    await dialog()
      .getByRole('button', { name: /^Roll back to/ })
      .click();
    await page.getByText(/^Update to revision \d+ was stopped/).waitFor({ state: 'hidden', timeout: 60_000 });
    await settled();
    await tab('History').click();
    await page
      .getByRole('cell', { name: /kubectl/ })
      .first()
      .waitFor();
    await page.getByText('Failed', { exact: true }).first().waitFor();
    expect(await greeting()).toContain('Three');
  });

  it('stops and starts many at once, and reads how each went', async () => {
    await page.goto(`/teams/${team()}/deployments?sort=-changed`);
    await page.getByRole('checkbox', { name: 'Select all' }).first().check();
    const bar = page.getByRole('toolbar', { name: 'Actions for the selection' });
    await bar.getByRole('button', { name: 'Stop' }).click();
    await dialog()
      .getByText(/answer nothing until it is started/)
      .waitFor();
    await journey.inspect('bulk');
    await dialog().getByRole('button', { name: 'Stop 2 deployments' }).click();
    await dialog().getByText('All 2 done.').waitFor({ timeout: 30_000 });
    await dialog().getByRole('button', { name: 'Undo' }).click();
    await dialog().getByText('All 2 done.').waitFor({ timeout: 30_000 });
    await dialog().getByRole('contentinfo').or(dialog()).getByRole('button', { name: 'Close' }).last().click();
    await until('both answer again', 60_000, async () => {
      const answers = await Promise.all(['shop', 'shop-2'].map((name) => journey.ask(name)));
      return answers.every(({ status }) => status === 200);
    });
  });

  it('reaches everything by the keyboard', async () => {
    await page.goto(`/teams/${team()}`);
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Deployments', level: 1 }).waitFor();
    await page.getByRole('link', { name: /^shop/ }).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('1 selected').waitFor({ state: 'hidden' });
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'shop-2' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('history shop');
    await page.getByRole('option', { name: 'History of shop', exact: true }).waitFor();
    await journey.inspect('palette');
    await page.getByRole('option', { name: 'History of shop', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'shop', exact: true }).waitFor();
    await page.keyboard.press('?');
    await dialog().getByText('Keyboard shortcuts').waitFor();
    await journey.inspect('shortcuts');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  });

  it('writes a template, is told what is wrong at its line, saves versions of it, and retires it', async () => {
    const code = page.getByRole('textbox', { name: /The template as YAML/ });
    const write = async (text: string) => {
      await code.click();
      await page.keyboard.press('Control+A');
      // As from the clipboard: what a driver inserts by itself makes a style of its own, which the page's policy refuses.
      await code.evaluate((element, pasted) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', pasted);
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }, text);
    };
    await page.goto(`/teams/${team()}/new-template`);
    await page.getByRole('link', { name: 'Blank' }).click();
    await code.waitFor();
    await write(ownTemplate({ greeting: 'parameters.gretting' }));
    const wrong = page.getByRole('region', { name: 'What is wrong' });
    await wrong.getByText('line 17').waitFor();
    await wrong.getByText(/parameters\.gretting }} is unknown/).waitFor();
    await journey.inspect('template-errors');
    await write(ownTemplate());
    await wrong.getByText('Nothing is wrong.').waitFor();
    // The form as people will see it, beside the text.
    await page.getByRole('textbox', { name: 'What it says' }).waitFor();
    await journey.inspect('template-editor');
    await page.getByRole('button', { name: `Save ${FIRST_VERSION}` }).click();
    await page.getByText(`hello ${FIRST_VERSION} is saved.`).first().waitFor();
    await page.getByRole('heading', { level: 1, name: 'hello' }).waitFor();
    await platform.berthCommand('deploy', 'hello', 'from-ours', '--set', 'greeting=Our own', '--wait');
    await journey.answers('from-ours');
    expect((await journey.ask('from-ours', { accept: 'text/plain' })).text).toContain('Our own');
    await write(ownTemplate({ version: SECOND_VERSION, label: 'What it tells' }));
    await page.getByRole('button', { name: `Save ${SECOND_VERSION}` }).click();
    await page.getByText(`hello ${SECOND_VERSION} is saved.`).first().waitFor();
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('option', { name: FIRST_VERSION }).first().waitFor({ state: 'attached' });
    await journey.inspect('template-versions');
    expect(await platform.berthCommand('template', 'source', 'hello')).toContain('What it tells');
    await page.goto(`/teams/${team()}/templates/hello`);
    await page.getByRole('button', { name: 'Retire' }).click();
    await dialog()
      .getByRole('button', { name: /Retire/ })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
    expect(await platform.berthCommand('templates')).not.toContain('hello');
    expect(await platform.berthCommand('status', 'from-ours')).toContain(`hello ${FIRST_VERSION}`);
  });

  it('met no page on which anything is wrong', () => {
    expect(journey.problems).toEqual([]);
  });
});
