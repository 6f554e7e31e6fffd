import type { AuditRecord } from '@berth/core/audit';
import type { Activity, Deployment, Revision, Usage } from '@berth/core/deployment';
import { ROLE_PERMISSIONS } from '@berth/core/permissions';
import { PLANS, type PlanName } from '@berth/core/plans';
import { quantity } from '@berth/core/quantity';
import type { TemplateDetail } from '@berth/core/routes/template-routes';
import type { Me, Member, Token } from '@berth/core/tenant';
import type { ServiceStatus } from '@berth/core/user-deployment';

/** What the mock server starts with, and what component tests draw. Typed by core, so that it cannot drift from the contract. */
export const TEAM_ID = 'tplatform0000001';
export const OTHER_TEAM_ID = 'tpersonal0000001';
export const USER_ID = 'udeveloper000001';

export function ago(minutes: number, now = Date.now()): string {
  return new Date(now - minutes * 60_000).toISOString();
}

export function aMe(): Me {
  const createdAt = ago(60 * 24 * 90);
  return {
    user: { id: USER_ID, email: 'dev@localhost', name: 'Developer', platformAdmin: false },
    authentication: 'login',
    organizations: [
      { id: 'oexample00000001', name: 'Example', personal: false, plan: 'business', role: 'org_owner', createdAt },
      { id: 'opersonal0000001', name: 'Personal', personal: true, plan: 'free', role: 'org_owner', createdAt },
    ],
    teams: [
      {
        id: TEAM_ID,
        name: 'Platform',
        organizationId: 'oexample00000001',
        organizationName: 'Example',
        namespace: `berth-${TEAM_ID}`,
        role: 'team_admin',
        permissions: [...ROLE_PERMISSIONS.org_owner],
        createdAt,
      },
      {
        id: OTHER_TEAM_ID,
        name: 'Default',
        organizationId: 'opersonal0000001',
        organizationName: 'Personal',
        namespace: `berth-${OTHER_TEAM_ID}`,
        permissions: [...ROLE_PERMISSIONS.org_owner],
        createdAt,
      },
    ],
  };
}

export function aService(
  name: string,
  state: ServiceStatus['state'] = 'Running',
  more: Partial<Deployment['services'][number]> = {},
): Deployment['services'][number] {
  const up = state === 'Running';
  return {
    name,
    state,
    desired: state === 'Stopped' ? 0 : 1,
    ready: up ? 1 : 0,
    restarts: 0,
    image: `berth.dev/${name}:1.0.0`,
    volumes: [],
    ports: [],
    limits: { cpu: 0.5, memory: 268_435_456 },
    requests: { cpu: 0.25, memory: 134_217_728 },
    ...more,
  };
}

export function aDeployment(more: Partial<Deployment> = {}): Deployment {
  const name = more.name ?? 'guestbook';
  return {
    id: idOf(name),
    name,
    teamId: TEAM_ID,
    template: { name: 'guestbook', version: '1.0.0' },
    phase: 'Running',
    desired: 'running',
    revision: 1,
    host: `${name}.localhost`,
    url: `http://${name}.localhost:7447`,
    paused: false,
    addresses: [{ host: `${name}.localhost`, url: `http://${name}.localhost:7447`, service: 'web' }],
    aliases: [],
    jobs: [],
    values: { title: 'Guestbook', entriesPerPage: 20, theme: 'plain' },
    secrets: [{ key: 'databasePassword', set: true }],
    services: [aService('web'), aService('database', 'Running', { volumes: [{ name: 'data', size: '1Gi' }] })],
    conditions: [],
    createdBy: 'dev@localhost',
    createdAt: ago(60 * 24 * 3),
    updatedAt: ago(60),
    permissions: [
      'deployment:read',
      'deployment:create',
      'deployment:update',
      'deployment:delete',
      'deployment:logs',
      'deployment:exec',
    ],
    ...more,
  };
}

export function idOf(name: string): string {
  return `d${name.replace(/[^a-z0-9]/g, '')}000000000000000`.slice(0, 16);
}

export function someDeployments(): Deployment[] {
  return [
    aDeployment({
      name: 'billing',
      paused: true,
      revision: 6,
      update: { state: 'paused', generation: 6, servingRevision: '5', since: ago(14) },
      services: [aService('web', 'Running', { desired: 2, ready: 2 })],
      updatedAt: ago(14),
    }),
    aDeployment({
      name: 'checkout',
      displayName: 'Checkout of the shop',
      revision: 13,
      template: { name: 'three-tier-shop', version: '1.13.0' },
      update: {
        state: 'stopped',
        generation: 13,
        servingRevision: '12',
        since: ago(4),
        service: 'api',
        reason: 'ProbeFailed',
        message: 'The readiness probe of api (GET /healthz) answered 500 for 90 s.',
        lastLines: [
          '15:01:58.120 listening on :8080',
          '15:02:01.377 error: password authentication failed for user "shop"',
          '15:02:01.379 retrying in 2 s (3 of 10)',
          '15:02:03.391 error: password authentication failed for user "shop"',
          '15:02:03.402 GET /healthz 500 4 ms',
        ],
      },
      aliases: ['shop.localhost'],
      addresses: [
        { host: 'checkout.localhost', url: 'http://checkout.localhost:7447', service: 'web' },
        { host: 'shop.localhost', url: 'http://shop.localhost:7447', service: 'web' },
        { host: 'checkout-admin.localhost', url: 'http://checkout-admin.localhost:7447', service: 'api' },
      ],
      services: [
        aService('api', 'Running', { desired: 3, ready: 3, restarts: 7, ports: [{ name: 'http', port: 8080 }] }),
        aService('web', 'Running', { desired: 2, ready: 2, ports: [{ name: 'http', port: 8080 }] }),
        aService('database', 'Running', {
          volumes: [{ name: 'data', size: '20Gi' }],
          ports: [{ name: 'postgres', port: 5432 }],
          limits: { cpu: 1, memory: 2 ** 30 },
        }),
      ],
      jobs: [
        { name: 'migrate', state: 'Succeeded', lastRunAt: ago(60 * 24 * 3) },
        { name: 'nightly', state: 'Scheduled', schedule: '30 3 * * *', lastRunAt: ago(60 * 11) },
        {
          name: 'report',
          state: 'Failed',
          schedule: '@weekly',
          message: 'Exited with code 2.',
          lastRunAt: ago(60 * 30),
        },
      ],
      updatedAt: ago(4),
    }),
    aDeployment({ name: 'docs', services: [aService('whoami')], values: {}, secrets: [], updatedAt: ago(60 * 24 * 3) }),
    aDeployment({ displayName: 'Guestbook of the team', revision: 8 }),
    aDeployment({
      name: 'mailer',
      phase: 'Failing',
      revision: 2,
      message: 'worker is not ready',
      services: [
        aService('worker', 'Failing', {
          restarts: 7,
          reason: 'CrashLoopBackOff',
          message: 'Exited with code 1: password authentication failed for user "mail".',
        }),
        aService('web', 'Running', { desired: 2, ready: 2 }),
      ],
      updatedAt: ago(9),
    }),
    aDeployment({
      name: 'reports',
      phase: 'Stopped',
      desired: 'stopped',
      services: [aService('web', 'Stopped'), aService('database', 'Stopped')],
      updatedAt: ago(60 * 24 * 4),
    }),
    aDeployment({
      name: 'search',
      phase: 'Updating',
      revision: 4,
      update: { state: 'progressing', generation: 4, servingRevision: '3', since: ago(1), replaces: ['index'] },
      services: [
        aService('api', 'Running', { desired: 3, ready: 3, updated: 1 }),
        aService('index', 'Starting', { volumes: [{ name: 'data', size: '10Gi' }] }),
        aService('web', 'Waiting', { reason: 'WaitingForDependencies', message: 'Starts when index is ready.' }),
      ],
      updatedAt: ago(0),
      conditions: [
        { type: 'Ready', status: 'False', reason: 'Updating', message: '1 of 3 services', lastTransitionTime: ago(1) },
      ],
    }),
  ];
}

export function manyDeployments(count: number): Deployment[] {
  const phases = ['Running', 'Running', 'Running', 'Stopped', 'Failing', 'Starting'] as const;
  return Array.from({ length: count }, (_, index) => {
    const phase = phases[index % phases.length] ?? 'Running';
    return aDeployment({
      id: `d${String(index).padStart(15, '0')}`,
      name: `app-${String(index + 1).padStart(4, '0')}`,
      phase,
      desired: phase === 'Stopped' ? 'stopped' : 'running',
      updatedAt: ago(index),
    });
  });
}

export function someActivity(): Activity[] {
  const base = { teamId: TEAM_ID } as const;
  return [
    {
      ...base,
      id: 106,
      deployment: 'checkout',
      service: 'api',
      kind: 'failing',
      level: 'failure',
      message: 'did not become ready: it exits with code 1',
      at: ago(2),
    },
    {
      ...base,
      id: 105,
      deployment: 'checkout',
      kind: 'changed',
      level: 'info',
      message: 'changed: version 1.13.0',
      by: 'dev@localhost',
      at: ago(3),
    },
    {
      ...base,
      id: 104,
      deployment: 'reports',
      kind: 'stopped',
      level: 'info',
      message: 'stopped',
      by: 'dev@localhost',
      at: ago(24),
    },
    { ...base, id: 103, deployment: 'guestbook', kind: 'running', level: 'ok', message: 'is running', at: ago(60) },
    {
      ...base,
      id: 102,
      deployment: 'guestbook',
      service: 'database',
      kind: 'event',
      level: 'info',
      message: 'volume data is bound',
      at: ago(61),
    },
    {
      ...base,
      id: 101,
      deployment: 'guestbook',
      kind: 'created',
      level: 'info',
      message: 'was deployed from Guestbook 1.0.0',
      by: 'dev@localhost',
      at: ago(62),
    },
  ];
}

export function someTemplates(): TemplateDetail[] {
  return [
    {
      name: 'guestbook',
      version: '1.0.0',
      versions: ['1.0.0'],
      displayName: 'Guestbook',
      description: 'A page and its PostgreSQL, to see how things fit together',
      category: 'app',
      icon: 'notebook-pen',
      services: 2,
      startSeconds: 20,
      owner: 'berth',
      exposed: true,
      readme: 'A guestbook that keeps what visitors write in a database of its own.',
      parameters: [
        {
          name: 'title',
          label: 'Title',
          type: 'text',
          default: 'Guestbook',
          required: true,
          maxLength: 60,
          help: 'Stands on top of the page.',
        },
        {
          name: 'entriesPerPage',
          label: 'Entries per page',
          type: 'number',
          default: 20,
          integer: true,
          min: 1,
          max: 200,
          unit: 'entries',
          required: true,
        },
        {
          name: 'theme',
          label: 'Theme',
          type: 'choice',
          default: 'plain',
          required: true,
          choices: [
            { value: 'plain', label: 'Plain' },
            { value: 'paper', label: 'Paper' },
            { value: 'night', label: 'Night' },
          ],
        },
        {
          name: 'moderated',
          label: 'Hold new entries for review',
          type: 'boolean',
          default: false,
          help: 'They appear once a moderator agrees.',
        },
        {
          name: 'moderatorPassword',
          label: 'Moderator password',
          type: 'secret',
          required: true,
          minLength: 8,
          help: 'Opens the page where entries are removed.',
        },
        {
          name: 'databasePassword',
          label: 'Database password',
          type: 'secret',
          generate: { length: 32 },
          advanced: true,
        },
        {
          name: 'volumeSize',
          label: 'Volume',
          type: 'choice',
          default: '1Gi',
          advanced: true,
          choices: [
            { value: '1Gi', label: '1 GiB' },
            { value: '5Gi', label: '5 GiB' },
          ],
        },
        { name: 'greeting', label: 'Greeting', type: 'text', multiline: true, advanced: true, maxLength: 500 },
      ],
    },
    {
      name: 'postgres',
      version: '18.1.0',
      versions: ['18.1.0'],
      displayName: 'PostgreSQL',
      description: 'One database with a volume',
      category: 'database',
      icon: 'database',
      services: 1,
      startSeconds: 8,
      owner: 'berth',
      exposed: false,
      parameters: [
        {
          name: 'databaseName',
          label: 'Database',
          type: 'text',
          default: 'app',
          required: true,
          pattern: '[a-z][a-z0-9_]*',
          patternHint: 'Use lower-case letters, digits and _; start with a letter',
        },
        { name: 'password', label: 'Password', type: 'secret', generate: { length: 32 } },
      ],
    },
    {
      name: 'whoami',
      version: '1.2.0',
      versions: ['1.2.0', '1.1.0'],
      displayName: 'Whoami',
      description: 'Answers with what it knows of the request: the smallest thing that runs',
      category: 'app',
      icon: 'circle-user',
      services: 1,
      startSeconds: 2,
      owner: 'berth',
      exposed: true,
      parameters: [{ name: 'greeting', label: 'Greeting', type: 'text', default: 'Hello' }],
    },
  ];
}

export function aUsage(more: Partial<Usage> = {}): Usage {
  return {
    plan: 'business',
    deployments: { used: 14, allowed: 15 },
    cpu: { used: 6.2, allowed: 16 },
    memory: { used: 21.4 * 2 ** 30, allowed: 64 * 2 ** 30 },
    storage: { used: 118 * 2 ** 30, allowed: 500 * 2 ** 30 },
    ...more,
  };
}

/** The same use under another plan. */
export function usageUnder(plan: PlanName, usage: Usage): Usage {
  const { deployments, cpu, memory, storage } = PLANS[plan];
  const limit = (text: string | undefined) => (text === undefined ? undefined : quantity(text));
  return {
    plan,
    deployments: { used: usage.deployments.used, allowed: deployments },
    cpu: { used: usage.cpu.used, allowed: limit(cpu) },
    memory: { used: usage.memory.used, allowed: limit(memory) },
    storage: { used: usage.storage.used, allowed: limit(storage) },
  };
}

export function someMembers(): Member[] {
  return [
    { userId: USER_ID, email: 'dev@localhost', name: 'Developer', role: 'team_admin' },
    { userId: 'usecond000000001', email: 'second@example.com', name: 'Second', role: 'developer' },
    { userId: 'uthird0000000001', email: 'third@example.com', name: 'Third', role: 'viewer' },
  ];
}

export function someTokens(): Token[] {
  return [
    { id: 'klaptop000000001', name: 'laptop', createdAt: ago(60 * 24 * 12), lastUsedAt: ago(34) },
    { id: 'knightly00000001', name: 'nightly build', createdAt: ago(60 * 24 * 40), expiresAt: ago(-60 * 24 * 50) },
  ];
}

export function someRevisions(): Revision[] {
  return [
    {
      revision: 8,
      summary: 'title changed',
      by: 'dev@localhost',
      createdAt: ago(60),
      outcome: 'running',
      current: true,
      serving: true,
    },
    {
      revision: 7,
      summary: 'version 1.0.0',
      by: 'kubectl-client-side-apply',
      createdAt: ago(60 * 24 * 2),
      outcome: 'replaced',
      current: false,
      serving: false,
    },
    {
      revision: 6,
      summary: 'deployed',
      by: 'dev@localhost',
      createdAt: ago(60 * 24 * 3),
      outcome: 'running',
      current: false,
      serving: false,
    },
  ];
}

export function someAudit(): AuditRecord[] {
  const base = { actor: 'dev@localhost', actorId: USER_ID, teamId: TEAM_ID, hash: 'a3'.repeat(32) };
  return [
    {
      ...base,
      sequence: 412,
      at: ago(2),
      action: 'deployment:update',
      outcome: 'allowed',
      target: 'checkout',
      detail: 'version',
      method: 'PATCH',
      route: '/api/deployments/:id',
      status: 200,
    },
    {
      ...base,
      sequence: 411,
      at: ago(20),
      actor: 'third@example.com',
      action: 'deployment:delete',
      outcome: 'denied',
      target: 'guestbook',
      method: 'DELETE',
      route: '/api/deployments/:id',
      status: 403,
    },
    {
      ...base,
      sequence: 410,
      at: ago(24),
      action: 'deployment:update',
      outcome: 'allowed',
      target: 'reports',
      detail: 'stopped',
      method: 'POST',
      status: 200,
    },
    {
      ...base,
      sequence: 409,
      at: ago(62),
      action: 'deployment:create',
      outcome: 'failed',
      target: 'guestbook',
      detail: 'name',
      method: 'POST',
      status: 409,
    },
    {
      ...base,
      sequence: 408,
      at: ago(63),
      action: 'team:members',
      outcome: 'allowed',
      target: 'second@example.com',
      method: 'POST',
      status: 201,
    },
  ];
}
