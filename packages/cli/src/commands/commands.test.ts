import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreateDeployment, Deployment } from '@berth/core/deployment';
import { BerthError } from '@berth/core/errors';
import type { LiveEvent } from '@berth/core/live';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventStream, type FixtureHandlers } from '../testing/fixture-server.ts';
import { runScene, type Scene } from '../testing/run-scene.ts';
import { deployment, guestbook, me, otherOrganization, service, team } from '../testing/samples.ts';

/** Every command as a person sees it; `vitest -u` writes the files anew. */
async function golden(name: string, parameters: string[], scene: Scene = {}): Promise<void> {
  const { transcript } = await runScene(parameters, scene);
  await expect(transcript).toMatchFileSnapshot(`testdata/${name}.txt`);
}

const book: FixtureHandlers = {
  listDeployments: ({ query }) => ({ items: query.name === 'nope' ? [] : [deployment()] }),
  getTemplate: () => guestbook,
};
const starting = deployment({
  phase: 'Starting',
  services: [service('web', { state: 'Waiting', ready: 0 }), service('db', { state: 'Starting', ready: 0 })],
});
const snapshot = (...deployments: Deployment[]): LiveEvent => ({ type: 'snapshot', deployments, activity: [] });
const changed = (change: Deployment): LiveEvent => ({ type: 'deployment', deployment: change });

describe('berth', () => {
  it('explains itself', async () => {
    await golden('help', ['--help']);
    await golden('deploy-help', ['deploy', '--help']);
    await golden('unknown-command', ['lst']);
  });

  it('shows what can be deployed', async () => {
    await golden('templates', ['templates'], { handlers: { listTemplates: () => ({ items: [summaryOf()] }) } });
    await golden('template', ['templates', 'guestbook'], { handlers: book });
  });

  it('shows deployments, for people and for machines', async () => {
    const items = [
      deployment(),
      deployment({
        id: 'd000000000000002',
        name: 'a-longer-name',
        phase: 'Failing',
        template: undefined,
        url: undefined,
      }),
    ];
    await golden('list', ['list'], { handlers: { listDeployments: () => ({ items }) } });
    await golden('list-empty', ['list'], { handlers: { listDeployments: () => ({ items: [] }) } });
    const { output } = await runScene(['list', '-o', 'json'], { handlers: { listDeployments: () => ({ items }) } });
    expect(JSON.parse(output)).toEqual(JSON.parse(JSON.stringify(items)));
  });

  it('reads every page of a long list', async () => {
    const { output } = await runScene(['list', '-o', 'json'], {
      handlers: {
        listDeployments: ({ query }) =>
          query.cursor
            ? { items: [deployment({ id: 'd000000000000002', name: 'second' })] }
            : { items: [deployment()], next: 'x' },
      },
    });
    expect((JSON.parse(output) as Deployment[]).map(({ name }) => name)).toEqual(['book', 'second']);
  });

  it('shows one deployment and what is wrong with it', async () => {
    const failing = deployment({
      phase: 'Failing',
      message: 'The database does not start.',
      services: [
        service('web', { state: 'Waiting', ready: 0 }),
        service('db', { state: 'Failing', ready: 0, restarts: 4, message: 'exit code 1' }),
      ],
    });
    await golden('status', ['status', 'book'], { handlers: { listDeployments: () => ({ items: [failing] }) } });
    await golden('status-not-found', ['status', 'nope'], { handlers: book });
  });

  it('lets nobody’s words move the cursor or forge a line', async () => {
    const forged = deployment({
      displayName: '\u001b[2Jgone\u009b1m',
      message: 'one\nState: Running',
      phase: 'Failing',
    });
    const { output } = await runScene(['status', 'book'], {
      handlers: { listDeployments: () => ({ items: [forged] }) },
    });
    expect(output).toContain('\ufffd[2Jgone\ufffd1m\n');
    expect(output).toContain('one State: Running\n');
  });

  it('lists what a delete takes before it asks', async () => {
    const handlers: FixtureHandlers = {
      ...book,
      getRemoval: () => ({
        items: [{ kind: 'volume', name: 'data', detail: 'Everything that visitors wrote (1Gi).' }],
      }),
      deleteDeployment: () => deployment({ phase: 'Deleting', desired: 'deleted' }),
      streamEvents: () => eventStream([snapshot(deployment()), { type: 'removed', id: deployment().id }]),
    };
    await golden('delete', ['delete', 'book', '--wait'], { handlers, answers: ['book'] });
    await golden('delete-refused', ['delete', 'book'], { handlers, answers: ['yes'] });
    await golden('delete-nobody-there', ['delete', 'book'], { handlers });
    expect((await runScene(['delete', 'book', '--yes'], { handlers })).exitCode).toBe(0);
  });

  it('shows logs and what happened', async () => {
    const at = '2030-01-02T11:59:00.000Z';
    const lines = eventStream([
      { type: 'notice', service: 'web', message: 'the pod was replaced' },
      { type: 'line', at, service: 'web', pod: 'book-web-1', text: 'listening on 8080' },
      { type: 'end', reason: 'complete' },
    ]);
    await golden('logs', ['logs', 'book', '--service', 'web', '--timestamps'], {
      handlers: { ...book, streamLogs: () => lines },
    });
    await golden('events', ['events', 'book'], {
      handlers: {
        ...book,
        listDeploymentActivity: () => ({
          items: [
            {
              id: 2,
              teamId: team.id,
              deployment: 'book',
              service: 'db',
              kind: 'event',
              level: 'warning',
              message: 'Startup probe failed',
              at,
            },
            {
              id: 1,
              teamId: team.id,
              deployment: 'book',
              kind: 'created',
              level: 'info',
              message: 'book was created',
              by: me.user.email,
              at,
            },
          ],
        }),
      },
    });
  });

  it('shows teams and remembers the one to use', async () => {
    await golden('teams', ['teams']);
    await golden('whoami', ['whoami']);
    await golden('team-use', ['team', 'use', 'Acme/Shop']);
    await golden('team-unknown', ['list', '--team', 'Nobody']);
  });

  it('gives an organization its plan, by its name or its id', async () => {
    const asked: string[] = [];
    const handlers: FixtureHandlers = {
      updatePlan({ params, body }) {
        asked.push(`${params.organizationId} ${body.plan}`);
        return { ...otherOrganization, plan: body.plan };
      },
    };
    await golden('plan', ['plan', 'Acme', 'enterprise'], { handlers });
    await runScene(['plan', 'o00000000000000x', 'free'], { handlers });
    expect(asked).toEqual([`${otherOrganization.id} enterprise`, 'o00000000000000x free']);
    await golden('plan-unknown', ['plan', 'Acme', 'huge'], { handlers });
    await golden('plan-organization-unknown', ['plan', 'Nobody', 'free'], { handlers });
    await golden('plan-denied', ['plan', 'Ann', 'enterprise'], {
      handlers: {
        updatePlan() {
          const right = { permission: 'platform:admin', grantedBy: 'an administrator of the platform' } as const;
          throw new BerthError('forbidden', `Your role does not let you do that; ask ${right.grantedBy}`, { right });
        },
      },
    });
  });

  it('asks for the id where several organizations have one name', async () => {
    const organizations = [otherOrganization, { ...otherOrganization, id: 'o000000000000003' }];
    const handlers: FixtureHandlers = { getMe: () => ({ ...me, organizations }) };
    const { exitCode, notes } = await runScene(['plan', 'Acme', 'free'], { handlers });
    expect(notes).toContain('one of o000000000000002, o000000000000003');
    expect(exitCode).toBe(2);
  });

  it('hands up and admin to the server with every flag', async () => {
    expect((await runScene(['up', '--data', 'x', '--port=1'])).served).toEqual([
      { mode: 'up', parameters: ['--data', 'x', '--port=1'] },
    ]);
    expect((await runScene(['admin', 'create', 'a@b.c', '--name', 'A'])).served).toEqual([
      { mode: 'admin', parameters: ['create', 'a@b.c', '--name', 'A'] },
    ]);
  });
});

describe('berth deploy', () => {
  function deploying(
    bodies: CreateDeployment[],
    ...events: Parameters<typeof eventStream>[0][number][]
  ): FixtureHandlers {
    return {
      ...book,
      createDeployment({ body }) {
        bodies.push(body);
        return starting;
      },
      streamEvents: () => eventStream(events),
    };
  }

  it('sends values by their type and waits until it runs', async () => {
    const bodies: CreateDeployment[] = [];
    const handlers = deploying(
      bodies,
      snapshot(starting),
      changed(deployment({ phase: 'Starting' })),
      changed(deployment()),
    );
    await golden(
      'deploy-wait',
      ['deploy', 'guestbook', 'book', '--set', 'title=a=b', '--set', 'perPage=20', '--set', 'open=false', '--wait'],
      { handlers },
    );
    expect(bodies[0]).toMatchObject({
      team: team.id,
      name: 'book',
      template: 'guestbook',
      values: { title: 'a=b', perPage: 20, open: false },
    });
  });

  it('keeps every byte of a secret, from a file, standard input or the keyboard', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-secret-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const value = ' $2a$12$x\r\n😀\n';
    writeFileSync(join(folder, 'key'), value);
    const bodies: CreateDeployment[] = [];
    const deploy = (secret: string, scene: Scene) =>
      runScene(['deploy', 'guestbook', 'book', '--secret', secret], { handlers: deploying(bodies), ...scene });
    await deploy(`licence=@${join(folder, 'key')}`, {});
    await deploy('licence=-', { standardInput: value });
    await deploy('licence', { answers: ['typed'] });
    expect(bodies.map(({ values }) => values?.licence)).toEqual([value, value, 'typed']);
  });

  it.each([
    ['--set title', 'has no value'],
    ['--set nope=1', 'it takes title, theme'],
    ['--set title=a --set title=b', 'is given twice'],
    ['--secret licence=hunter2', "shell's history"],
    ['--secret title=-', 'is no secret'],
    ['--secret licence=@/nowhere', 'cannot be read'],
    ['--timeout soon', 'number of seconds'],
  ])('refuses %s in words', async (flags, sentence) => {
    const { exitCode, notes } = await runScene(['deploy', 'guestbook', 'book', ...flags.split(' ')], {
      handlers: deploying([]),
    });
    expect(notes).toContain(sentence);
    expect(exitCode).toBe(2);
  });

  it('refuses a secret that is no text', async () => {
    const scene = { handlers: deploying([]), standardInput: Buffer.from([0xff, 0xfe]) };
    const { notes, exitCode } = await runScene(['deploy', 'guestbook', 'book', '--secret', 'licence=-'], scene);
    expect(notes).toContain('is not UTF-8 text');
    expect(exitCode).toBe(2);
  });

  it('fails with the reason when it cannot run', async () => {
    const invalid = deployment({
      phase: 'Failing',
      message: 'The address book.localhost is taken.',
      conditions: [
        {
          type: 'HostsClaimed',
          status: 'False',
          reason: 'Taken',
          message: 'taken',
          lastTransitionTime: starting.createdAt,
        },
      ],
      services: [service('web', { state: 'Failing', message: 'waits for its address', ready: 0 })],
    });
    await golden('deploy-fails', ['deploy', 'guestbook', 'book', '--wait'], {
      handlers: deploying([], snapshot(starting), changed(invalid)),
    });
  });

  it('says when it took too long', async () => {
    const handlers = { ...deploying([]), streamEvents: () => eventStream([snapshot(starting)]) };
    const { exitCode, notes } = await runScene(['deploy', 'guestbook', 'book', '--wait', '--timeout', '5'], {
      handlers,
      timePasses: true,
    });
    expect(notes).toContain('took longer than 5 s');
    expect(exitCode).toBe(6);
  });

  it.each([
    [
      new BerthError('limit_reached', 'The plan is used up.', {
        limit: { resource: 'deployments', used: 3, allowed: 3 },
      }),
      5,
      'deployments: 3 of 3',
    ],
    [new BerthError('name_taken', 'The name book is taken.', { suggestion: 'book-2' }), 1, 'free is: book-2'],
    [
      new BerthError('forbidden', 'You may not.', {
        right: { permission: 'deployment:create', grantedBy: 'an admin' },
      }),
      4,
      'an admin can grant',
    ],
    [new BerthError('unauthenticated', 'Sign in first.'), 4, 'run "berth login"'],
    [new BerthError('not_found', 'No such template.'), 3, 'No such template.'],
    [
      new BerthError('invalid_input', 'It is not right.', {
        fields: [
          { path: 'a', message: 'is one' },
          { path: 'b', message: 'is two' },
        ],
      }),
      2,
      'b: is two',
    ],
  ])('turns %s into its exit code and what to do', async (error, code, sentence) => {
    const createDeployment = () => Promise.reject(error);
    const { exitCode, notes } = await runScene(['deploy', 'guestbook', 'book'], {
      handlers: { ...book, createDeployment },
    });
    expect(exitCode).toBe(code);
    expect(notes).toContain(sentence);
  });
});

describe('berth login', () => {
  const withCookie = () => Response.json(me, { headers: { 'set-cookie': 'berth_login=abc; HttpOnly; Path=/' } });
  const made = { id: 'k000000000000002', name: 'berth on laptop', createdAt: starting.createdAt, token: 'berth_new' };

  function serverWith(dev: boolean, seen: string[]): FixtureHandlers {
    return {
      getConfig: () => ({
        version: '1',
        domain: 'localhost',
        appUrl: 'http://{name}.localhost',
        signIn: { dev, password: true },
      }),
      signInForDevelopment: withCookie,
      signIn({ body }) {
        seen.push(`${body.email} ${body.password}`);
        return withCookie();
      },
      createToken({ body, headers }) {
        seen.push(`${headers.get('cookie')} ${body.name}`);
        return made;
      },
      signOut: () => undefined,
      listTokens: () => ({ items: [] }),
    };
  }

  it('makes a token named after the machine and keeps it for its owner alone', async () => {
    const configDirectory = mkdtempSync(join(tmpdir(), 'berth-config-'));
    onTestFinished(() => rmSync(configDirectory, { recursive: true, force: true }));
    const seen: string[] = [];
    const scene = {
      handlers: serverWith(true, seen),
      signedIn: false,
      configDirectory,
      environment: { BERTH_URL: 'http://localhost:7400/' },
    };
    const { exitCode, output } = await runScene(['login'], scene);
    expect(output).toBe('Signed in to http://localhost:7400 as ann@example.com.\n');
    expect(exitCode).toBe(0);
    expect(seen).toEqual(['berth_login=abc berth on laptop']);
    const file = join(configDirectory, 'config.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      current: 'http://localhost:7400',
      profiles: { 'http://localhost:7400': { token: 'berth_new' } },
    });
  });

  it('asks for e-mail and password where there is no development sign-in', async () => {
    const seen: string[] = [];
    await runScene(['login', '--url', 'https://berth.example.com'], {
      handlers: serverWith(false, seen),
      answers: ['ann@example.com', 'correct horse'],
      signedIn: false,
    });
    expect(seen[0]).toBe('ann@example.com correct horse');
  });

  it('says how to sign in, and what is no address', async () => {
    await golden('not-signed-in', ['list', '--url', 'https://berth.example.com']);
    await golden('no-address', ['list', '--url', 'ftp://x']);
    await golden('which-berth', ['list'], { signedIn: false });
  });

  it('says when nobody answers', async () => {
    await golden('unreachable', ['list'], { handlers: { listTeams: undefined } });
  });
});

function summaryOf() {
  const { name, version, displayName, description, category, services, owner } = guestbook;
  return { name, version, displayName, description, category, services, owner };
}
