import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment, Revision } from '@berth/core/deployment';
import { BerthError } from '@berth/core/errors';
import type { LiveEvent } from '@berth/core/live';
import type { LogEvent } from '@berth/core/log-event';
import { expect, it, onTestFinished } from 'vitest';
import { eventStream, type FixtureHandlers } from '../testing/fixture-server.ts';
import { runScene, type Scene } from '../testing/run-scene.ts';
import { deployment, guestbook, service, team } from '../testing/samples.ts';

async function golden(name: string, parameters: string[], scene: Scene = {}): Promise<void> {
  const { transcript } = await runScene(parameters, scene);
  await expect(transcript).toMatchFileSnapshot(`testdata/${name}.txt`);
}

const book: FixtureHandlers = {
  listDeployments: () => ({ items: [deployment()] }),
  getTemplate: () => guestbook,
};
const stopped: Deployment['update'] = {
  state: 'stopped',
  generation: 4,
  servingRevision: '3',
  since: '2030-01-02T11:59:00.000Z',
  service: 'web',
  reason: 'NotReady',
  message: 'The readiness probe of web (GET /readyz on http) answered 500 for 40 s.',
  lastLines: ['listening on 8080', 'Error: no such table \u001b[31mentries'],
};
const snapshot = (...deployments: Deployment[]): LiveEvent => ({ type: 'snapshot', deployments, activity: [] });
const file = (text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-cli-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'template.yaml'), text);
  return join(folder, 'template.yaml');
};

it('takes --version for that of the template, not of this program', async () => {
  const asked: unknown[] = [];
  const handlers: FixtureHandlers = {
    ...book,
    updateDeployment({ body }) {
      asked.push(body);
      return deployment({ revision: 4, phase: 'Updating' });
    },
    createDeployment({ body }) {
      asked.push(body);
      return deployment();
    },
  };
  const updated = await runScene(['update', 'book', '--version', '1.2.0'], { handlers });
  const made = await runScene(['deploy', 'guestbook', 'book', '--version', '1.2.0'], { handlers });
  expect([updated.exitCode, made.exitCode]).toEqual([0, 0]);
  expect(asked).toMatchObject([{ version: '1.2.0' }, { version: '1.2.0' }]);
});

it('updates what is named and keeps the rest', async () => {
  let sent: unknown;
  const handlers: FixtureHandlers = {
    ...book,
    updateDeployment: ({ body }) => {
      sent = body;
      return deployment({ revision: 4, phase: 'Updating' });
    },
  };
  await golden('update', ['update', 'book', '--set', 'theme=rose', '--alias', 'shop.example.com'], { handlers });
  expect(sent).toEqual({ values: { title: 'Our wedding', theme: 'rose' }, aliases: ['shop.example.com'] });
  await runScene(['update', 'book', '--no-aliases', '--title', 'Book'], { handlers });
  expect(sent).toEqual({ displayName: 'Book', aliases: [] });
  await golden('update-nothing', ['update', 'book'], { handlers });
  await golden('update-dry-run', ['update', 'book', '--set', 'theme=rose', '--dry-run'], {
    handlers: {
      ...book,
      previewUpdate: () => ({
        changes: [{ subject: 'Values', field: 'Colour', before: 'indigo', after: 'rose' }],
        rolls: ['web'],
        replaces: ['db'],
        warnings: [],
      }),
    },
  });
});

it('says which probe stopped an update, and how to go back', async () => {
  const handlers: FixtureHandlers = {
    ...book,
    updateDeployment: () => deployment({ revision: 4, phase: 'Updating' }),
    streamEvents: () => eventStream([snapshot(deployment({ revision: 4, update: stopped }))]),
  };
  await golden('update-stopped', ['update', 'book', '--set', 'theme=rose', '--wait'], { handlers });
  await golden('status-stopped', ['status', 'book'], {
    handlers: { listDeployments: () => ({ items: [deployment({ revision: 4, update: stopped })] }) },
  });
});

it('waits for the revision that it made, not for an older state of it', async () => {
  const handlers: FixtureHandlers = {
    ...book,
    scaleService: () => deployment({ revision: 4, phase: 'Updating' }),
    streamEvents: () =>
      eventStream([
        snapshot(deployment({ revision: 3 })),
        { type: 'deployment', deployment: deployment({ revision: 4, phase: 'Updating' }) },
        { type: 'deployment', deployment: deployment({ revision: 4 }) },
      ]),
  };
  await golden('scale-wait', ['scale', 'book', 'web=3', '--wait'], { handlers });
  await golden('scale-wrong', ['scale', 'book', 'web'], { handlers });
});

it('shows revisions, what one changed, and goes back to one', async () => {
  const revision = (number: number, change: Partial<Revision> = {}): Revision => ({
    revision: number,
    summary: 'theme changed',
    by: 'ann@example.com',
    createdAt: '2030-01-02T10:00:00.000Z',
    template: { name: 'guestbook', version: '1.2.0' },
    outcome: 'running',
    current: false,
    serving: false,
    ...change,
  });
  const failed = revision(4, { current: true, outcome: 'failed', message: 'web was not ready' });
  const handlers: FixtureHandlers = {
    ...book,
    listRevisions: () => ({ items: [failed, revision(3, { serving: true }), revision(2, { by: 'kubectl-edit' })] }),
    getRevision: () => ({
      ...failed,
      against: 3,
      values: {},
      changes: [
        { subject: 'Values', field: 'Colour', before: 'indigo', after: 'rose' },
        { subject: 'web', field: 'file /etc/motd', after: 'one\ntwo\u001b[2J' },
      ],
    }),
    rollBackDeployment: ({ body }) => deployment({ revision: 5, displayName: `back at ${body.revision}` }),
  };
  await golden('history', ['history', 'book'], { handlers });
  await golden('diff', ['diff', 'book'], { handlers });
  await golden('rollback', ['rollback', 'book', '3'], { handlers });
});

it('pauses, resumes, restarts one service and clones', async () => {
  let restarted: unknown;
  const handlers: FixtureHandlers = {
    ...book,
    pauseDeployment: () => deployment({ paused: true }),
    resumeDeployment: () => deployment(),
    restartDeployment: ({ body }) => {
      restarted = body;
      return deployment();
    },
    cloneDeployment: ({ body }) =>
      deployment({ name: body.name, phase: 'Starting', url: 'http://copy.localhost:7400' }),
  };
  await golden('pause', ['pause', 'book'], { handlers });
  await golden('resume', ['resume', 'book'], { handlers });
  await golden('restart-service', ['restart', 'book', '--service', 'web'], { handlers });
  expect(restarted).toEqual({ service: 'web' });
  await golden('clone', ['clone', 'book', 'copy'], { handlers });
});

it('shows what services use, the busiest first', async () => {
  const use = { deployment: 'd000000000000001', name: 'book', pods: 1 };
  const handlers: FixtureHandlers = {
    listCurrentUse: () => ({
      items: [
        { ...use, service: 'db', cpu: 0.004, memory: 41_943_040, cpuLimit: 1, memoryLimit: 536_870_912 },
        { ...use, service: 'web', cpu: 0.31, memory: 73_400_320, cpuLimit: 0.5, requests: 12.34, errors: 0 },
        { ...use, name: 'new', service: 'web' },
      ],
    }),
  };
  await golden('top', ['top'], { handlers });
  await golden('top-nothing', ['top'], { handlers: { listCurrentUse: () => ({ items: [] }) } });
});

it('shows the logs of several services, and asks for what is wanted of them', async () => {
  let asked: unknown;
  const line = (name: string, text: string, level?: 'error'): LogEvent => ({
    type: 'line',
    at: '2030-01-02T11:59:00.000Z',
    service: name,
    pod: `book-${name}-1`,
    text,
    ...(level && { level }),
  });
  const handlers: FixtureHandlers = {
    ...book,
    streamLogs: ({ query }) => {
      asked = query;
      return eventStream([
        line('web', 'ready'),
        line('db', 'FATAL no space', 'error'),
        { type: 'end', reason: 'complete' },
      ]);
    },
  };
  await golden('logs-several', ['logs', 'book', '--since', '15m', '--level', 'info', '--grep', 'e', '--previous'], {
    handlers,
  });
  expect(asked).toEqual({
    service: 'web,db',
    tail: 200,
    since: '15m',
    level: 'info',
    q: 'e',
    previous: 'true',
    follow: 'false',
  });
});

it('checks, saves, prints and retires a template of the team', async () => {
  const right = file(
    'apiVersion: berth.dev/v1alpha1\nkind: Template\nmetadata: { name: blog }\nspec:\n  kind: deployment\n  version: 1.0.0\n  displayName: Blog\n  description: A blog.\n  category: app\n  services:\n    - { name: web, image: "berth.dev/whoami:1" }\n',
  );
  const { output, exitCode } = await runScene(['template', 'check', right]);
  expect([output.replace(right, 'FILE'), exitCode]).toEqual(['FILE is right: blog 1.0.0, one service\n', 0]);
  const wrong = await runScene(['template', 'check', '-'], { standardInput: 'kind: Template\nkind: Template\n' });
  expect(wrong.exitCode).toBe(2);
  expect(wrong.notes).toMatch(/line 2/);
  const handlers: FixtureHandlers = {
    saveTemplate: ({ body }) => ({
      ...guestbook,
      name: 'blog',
      version: body.team === team.id ? '1.0.0' : '0.0.0',
      owner: 'team',
    }),
    getTemplateSource: () => ({ name: 'blog', version: '1.0.0', owner: 'team', source: 'kind: Template # mine\n' }),
    deleteTemplate: () => undefined as never,
  };
  await golden('template-source', ['template', 'source', 'blog'], { handlers });
  await golden('template-retire', ['template', 'retire', 'blog'], { handlers, answers: ['blog'] });
  await golden('template-retire-refused', ['template', 'retire', 'blog'], { handlers });
  expect((await runScene(['template', 'save', right], { handlers })).output).toMatch(
    /^blog 1\.0\.0 is in the catalogue/,
  );
});

it('manages members and organizations', async () => {
  const member = { userId: 'u000000000000002', email: 'bob@example.com', name: 'Bob', role: 'viewer' as const };
  const handlers: FixtureHandlers = {
    listMembers: () => ({ items: [member] }),
    addMember: ({ body }) => ({ ...member, ...body }),
    updateMember: ({ body }) => ({ ...member, ...body }),
    removeMember: () => undefined as never,
  };
  await golden('members', ['members', 'list'], { handlers });
  await golden('members-add', ['members', 'add', 'eve@example.com', 'developer'], { handlers });
  await golden('members-role', ['members', 'role', 'bob@example.com', 'team_admin'], { handlers });
  await golden('members-remove-unknown', ['members', 'remove', 'nobody@example.com'], { handlers });
});

it('shows use of the plan and the audit log', async () => {
  await golden('usage', ['usage'], {
    handlers: {
      getUsage: () => ({
        plan: 'free',
        deployments: { used: 2, allowed: 3 },
        cpu: { used: 0.15, allowed: 2 },
        memory: { used: 201_326_592, allowed: 2_147_483_648 },
        storage: { used: 1_073_741_824 },
      }),
    },
  });
  await golden('audit', ['audit'], {
    handlers: {
      listAudit: () => ({
        items: [
          {
            sequence: 7,
            at: '2030-01-02T11:59:00.000Z',
            actor: 'bob@example.com',
            action: 'deployment:exec',
            outcome: 'denied',
            target: 'd000000000000001',
            hash: '0'.repeat(64),
          },
        ],
      }),
    },
  });
});

it('knows several sign-ins and goes to the one that was chosen', async () => {
  await golden('profile-list', ['profile', 'list']);
  await golden('profile-unknown', ['profile', 'use', 'example.com']);
  await golden('profile-remove', ['profile', 'remove', '7400']);
});

it('completes commands, options, their values and the names of deployments', async () => {
  const complete = async (...words: string[]) =>
    (await runScene(['__complete', '--', ...words], { handlers: { ...book, listTemplates: () => ({ items: [] }) } }))
      .output;
  expect(await complete('ro')).toBe('rollback\n');
  expect(await complete('status', '')).toBe('book\n');
  expect(await complete('tokens', 're')).toBe('revoke\n');
  expect(await complete('logs', 'book', '--prev')).toBe('--previous\n');
  expect(await complete('logs', 'book', '--level', 'wa')).toBe('warning\n');
  expect(await complete('members', 'role', 'bob@example.com', 'team')).toBe('team_admin\n');
  expect((await runScene(['__complete', '--', 'status', ''], { signedIn: false })).output).toBe('');
  await golden('completion-bash', ['completion', 'bash']);
  await golden('completion-unknown', ['completion', 'tcsh']);
});

it('finds what is wrong with an installation and says how to mend it', async () => {
  const handlers: FixtureHandlers = {
    getConfig: () => ({
      version: '1.2.3',
      domain: 'localhost',
      appUrl: 'http://{name}.localhost:7400',
      signIn: { dev: true, password: false },
    }),
    getMe: () => {
      throw new BerthError('unauthenticated', 'The token has ended.');
    },
  };
  const scene: Scene = { handlers, environment: { BERTH_URL: 'http://localhost:7400' }, pages: { '/readyz': 'ok\n' } };
  const result = await runScene(['doctor', '--data', '/nowhere/.berth'], scene);
  await expect(result.transcript).toMatchFileSnapshot('testdata/doctor.txt');
  const away = await runScene(['doctor', '--data', '/nowhere/.berth'], { ...scene, pages: {} });
  await expect(away.transcript).toMatchFileSnapshot('testdata/doctor-away.txt');
});

it('describes services with what they are reached by', async () => {
  const items = [
    deployment({
      jobs: [
        { name: 'migrate', state: 'Succeeded', lastRunAt: '2030-01-02T11:59:00.000Z' },
        { name: 'report', state: 'Scheduled', schedule: '0 5 * * *' },
      ],
      services: [service('web')],
      paused: true,
    }),
  ];
  await golden('status-jobs', ['status', 'book'], { handlers: { listDeployments: () => ({ items }) } });
});
