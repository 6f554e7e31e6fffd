import type { RouteName } from '@berth/core/api';
import type { InjectOptions } from 'fastify';
import { hashPassword } from '../auth/password.ts';
import type { Database } from '../db/database.ts';
import type { TestApp } from './app.ts';
import { createTenant, createTwoTenants, joinTeam, type TestTenant } from './tenants.ts';

/**
 * One request for every route that works for its owner: tests that hold for all routes walk through them. A route without an example
 * does not compile, nor does an example without a route.
 */
export interface World {
  database: Database;
  app: TestApp;
  owner: TestTenant;
  /** Has nothing to do with the owner. */
  stranger: TestTenant;
}

type Example = (world: World) => Promise<InjectOptions>;

export const PASSWORD = 'correct horse battery staple';

export async function createWorld(database: Database, app: TestApp): Promise<World> {
  return { database, app, ...(await createTwoTenants(database)) };
}

const get =
  (urlOf: (owner: TestTenant) => string): Example =>
  async ({ owner }) => ({ method: 'GET', url: urlOf(owner) });

const ofDeployment =
  (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', payload?: object): Example =>
  async (world) => ({ method, url: `/api/deployments/${await deploy(world)}${path}`, ...(payload && { payload }) });

export const ROUTE_EXAMPLES: Record<RouteName, Example> = {
  getConfig: get(() => '/api/config'),
  async signIn(world) {
    await givePassword(world);
    return { method: 'POST', url: '/api/login', payload: { email: world.owner.email, password: PASSWORD } };
  },
  signInForDevelopment: async () => ({ method: 'POST', url: '/api/login/dev' }),
  signOut: async () => ({ method: 'POST', url: '/api/logout' }),
  getMe: get(() => '/api/me'),
  async changePassword(world) {
    await givePassword(world);
    return { method: 'POST', url: '/api/me/password', payload: { current: PASSWORD, next: `${PASSWORD}!` } };
  },
  listTokens: get(() => '/api/tokens'),
  createToken: async () => ({ method: 'POST', url: '/api/tokens', payload: { name: 'laptop' } }),
  async deleteToken({ database, owner }) {
    const [token] = await database.query<{ id: string }>('select id from api_tokens where user_id = $1', [
      owner.userId,
    ]);
    return { method: 'DELETE', url: `/api/tokens/${token?.id}` };
  },
  listOrganizations: get(() => '/api/organizations'),
  createOrganization: async () => ({ method: 'POST', url: '/api/organizations', payload: { name: 'Bakery' } }),
  getOrganization: get((owner) => `/api/organizations/${owner.organizationId}`),
  updateOrganization: async ({ owner }) => ({
    method: 'PATCH',
    url: `/api/organizations/${owner.organizationId}`,
    payload: { name: 'Renamed' },
  }),
  async updatePlan({ database, owner }) {
    await database.execute('update users set platform_admin = true where id = $1', [owner.userId]);
    return { method: 'PATCH', url: `/api/organizations/${owner.organizationId}/plan`, payload: { plan: 'enterprise' } };
  },
  createTeam: async ({ owner }) => ({
    method: 'POST',
    url: `/api/organizations/${owner.organizationId}/teams`,
    payload: { name: 'Kitchen' },
  }),
  listTeams: get(() => '/api/teams'),
  getTeam: get((owner) => `/api/teams/${owner.teamId}`),
  getUsage: get((owner) => `/api/teams/${owner.teamId}/usage`),
  listMembers: get((owner) => `/api/teams/${owner.teamId}/members`),
  async addMember({ database, owner }) {
    const { email } = await createTenant(database, 'Newcomer');
    return { method: 'POST', url: `/api/teams/${owner.teamId}/members`, payload: { email, role: 'developer' } };
  },
  async updateMember(world) {
    return { method: 'PATCH', url: await memberUrl(world), payload: { role: 'viewer' } };
  },
  async removeMember(world) {
    return { method: 'DELETE', url: await memberUrl(world) };
  },
  listTemplates: get((owner) => `/api/templates?team=${owner.teamId}`),
  getTemplate: get((owner) => `/api/templates/guestbook?team=${owner.teamId}`),
  getTemplateSource: get((owner) => `/api/templates/guestbook/source?team=${owner.teamId}`),
  saveTemplate: async ({ owner }) => ({ method: 'POST', url: '/api/templates', payload: ownTemplate(owner) }),
  async deleteTemplate({ app, owner }) {
    await app.as(owner, { method: 'POST', url: '/api/templates', payload: ownTemplate(owner) });
    return { method: 'DELETE', url: `/api/templates/our-own?team=${owner.teamId}` };
  },
  listDeployments: get((owner) => `/api/deployments?team=${owner.teamId}`),
  createDeployment: async ({ owner }) => ({ method: 'POST', url: '/api/deployments', payload: deployBody(owner) }),
  previewDeployment: async ({ owner }) => ({
    method: 'POST',
    url: '/api/deployments/preview',
    payload: deployBody(owner),
  }),
  getDeployment: ofDeployment('GET'),
  previewUpdate: ofDeployment('POST', '/preview', { values: { greeting: 'Changed' } }),
  updateDeployment: ofDeployment('PATCH', '', { values: { greeting: 'Changed' } }),
  stopDeployment: ofDeployment('POST', '/stop'),
  startDeployment: ofDeployment('POST', '/start'),
  restartDeployment: ofDeployment('POST', '/restart'),
  pauseDeployment: ofDeployment('POST', '/pause'),
  resumeDeployment: ofDeployment('POST', '/resume'),
  scaleService: ofDeployment('POST', '/scale', { service: 'web', replicas: 2 }),
  async rollBackDeployment(world) {
    const id = await deploy(world);
    const payload = { values: { greeting: 'Changed' } };
    await world.app.as(world.owner, { method: 'PATCH', url: `/api/deployments/${id}`, payload });
    return { method: 'POST', url: `/api/deployments/${id}/rollback`, payload: { revision: 1 } };
  },
  getRemoval: ofDeployment('GET', '/removal'),
  deleteDeployment: ofDeployment('DELETE'),
  listRevisions: ofDeployment('GET', '/revisions'),
  async cloneDeployment(world) {
    const payload = { name: `copy-${world.owner.teamId}` };
    return { method: 'POST', url: `/api/deployments/${await deploy(world)}/clone`, payload };
  },
  getRevision: ofDeployment('GET', '/revisions/1'),
  listDeploymentActivity: ofDeployment('GET', '/activity'),
  openShell: ofDeployment('GET', '/exec?service=web'),
  forwardPort: ofDeployment('GET', '/port-forward?service=web&port=http'),
  streamLogs: ofDeployment('GET', '/logs?service=web&tail=0&follow=false'),
  downloadLogs: ofDeployment('GET', '/logs/download?service=web'),
  getMetrics: ofDeployment('GET', '/metrics?range=6h'),
  streamMetrics: ofDeployment('GET', '/metrics/stream'),
  listCurrentUse: get((owner) => `/api/metrics?team=${owner.teamId}`),
  streamLive: get((owner) => `/api/live?topic=${encodeURIComponent(`/events?team=${owner.teamId}`)}`),
  listActivity: get((owner) => `/api/activity?team=${owner.teamId}`),
  streamEvents: get((owner) => `/api/events?team=${owner.teamId}`),
  async getHealth({ database, owner }) {
    await database.execute('update users set platform_admin = true where id = $1', [owner.userId]);
    return { method: 'GET', url: '/api/health' };
  },
  listAudit: get((owner) => `/api/audit?team=${owner.teamId}`),
};

async function givePassword({ database, owner }: World): Promise<void> {
  await database.execute('update users set password_hash = $2 where id = $1', [
    owner.userId,
    await hashPassword(PASSWORD),
  ]);
}

async function memberUrl({ database, owner }: World): Promise<string> {
  const member = await createTenant(database, 'Colleague');
  await joinTeam(database, member, owner, 'developer');
  return `/api/teams/${owner.teamId}/members/${member.userId}`;
}

const OWN_TEMPLATE = `apiVersion: berth.dev/v1alpha1
kind: Template
metadata:
  name: our-own
spec:
  kind: deployment
  version: 1.0.0
  displayName: Our own
  description: What a team wrote itself.
  category: app
  services:
    - name: web
      image: berth.dev/whoami:1
`;

function ownTemplate(owner: TestTenant): { team: string; source: string } {
  return { team: owner.teamId, source: OWN_TEMPLATE };
}

function deployBody(owner: TestTenant): { team: string; name: string; template: string } {
  return { team: owner.teamId, name: `who-${owner.teamId}`, template: 'whoami' };
}

async function deploy({ app, owner }: World): Promise<string> {
  const created = await app.as(owner, { method: 'POST', url: '/api/deployments', payload: deployBody(owner) });
  if (created.statusCode !== 201) throw new Error(`the example could not be deployed: ${created.body}`);
  return created.json<{ id: string }>().id;
}
