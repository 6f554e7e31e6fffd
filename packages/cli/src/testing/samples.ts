import type { Deployment } from '@berth/core/deployment';
import { ROLE_PERMISSIONS } from '@berth/core/permissions';
import type { TemplateDetail } from '@berth/core/routes/template-routes';
import type { Me, Organization, Team } from '@berth/core/tenant';

export const NOW = new Date('2030-01-02T12:00:00Z');
const ago = (minutes: number): string => new Date(NOW.getTime() - minutes * 60_000).toISOString();

export const organization: Organization = {
  id: 'o000000000000001',
  name: 'Ann',
  personal: true,
  plan: 'business',
  role: 'org_owner',
  createdAt: ago(600_000),
};
export const otherOrganization: Organization = {
  ...organization,
  id: 'o000000000000002',
  name: 'Acme',
  personal: false,
  plan: 'free',
  role: 'org_member',
};
export const team: Team = {
  id: 't000000000000001',
  name: 'Personal',
  organizationId: organization.id,
  organizationName: organization.name,
  namespace: 'berth-t000000000000001',
  role: 'team_admin',
  permissions: [...ROLE_PERMISSIONS.team_admin],
  createdAt: ago(600_000),
};
export const otherTeam: Team = {
  ...team,
  id: 't000000000000002',
  name: 'Shop',
  organizationId: otherOrganization.id,
  organizationName: otherOrganization.name,
  role: 'developer',
};
export const me: Me = {
  user: { id: 'u000000000000001', email: 'ann@example.com', name: 'Ann', platformAdmin: false },
  authentication: 'token',
  organizations: [organization, otherOrganization],
  teams: [team, otherTeam],
};

export const guestbook: TemplateDetail = {
  name: 'guestbook',
  version: '1.2.0',
  versions: ['1.2.0', '1.1.0'],
  displayName: 'Guestbook',
  description: 'A page that visitors sign.',
  category: 'app',
  services: 2,
  owner: 'berth',
  exposed: true,
  parameters: [
    {
      name: 'title',
      label: 'Title',
      type: 'text',
      default: 'Guestbook',
      maxLength: 60,
      help: 'The headline of the page.',
    },
    {
      name: 'theme',
      label: 'Colour',
      type: 'choice',
      default: 'indigo',
      choices: [
        { value: 'indigo', label: 'Indigo' },
        { value: 'rose', label: 'Rose' },
      ],
    },
    { name: 'perPage', label: 'Entries on a page', type: 'number', min: 1, max: 100, unit: 'entries', required: true },
    { name: 'open', label: 'Open to everybody', type: 'boolean', default: true },
    { name: 'password', label: 'Password', type: 'secret', generate: { length: 24 } },
    { name: 'licence', label: 'Licence key', type: 'secret', required: true },
  ],
};

export function deployment(change: Partial<Deployment> = {}): Deployment {
  return {
    id: 'd000000000000001',
    name: 'book',
    teamId: team.id,
    template: { name: 'guestbook', version: '1.2.0' },
    phase: 'Running',
    desired: 'running',
    revision: 3,
    host: 'book.localhost',
    url: 'http://book.localhost:7400',
    paused: false,
    addresses: [{ host: 'book.localhost', url: 'http://book.localhost:7400', service: 'web' }],
    aliases: [],
    jobs: [],
    values: { title: 'Our wedding' },
    secrets: [{ key: 'password', set: true }],
    services: [service('web'), service('db')],
    conditions: [],
    createdBy: 'ann@example.com',
    createdAt: ago(190),
    updatedAt: ago(30),
    permissions: [...ROLE_PERMISSIONS.team_admin],
    ...change,
  };
}

export function service(
  name: string,
  change: Partial<Deployment['services'][number]> = {},
): Deployment['services'][number] {
  return {
    name,
    state: 'Running',
    desired: 1,
    ready: 1,
    restarts: 0,
    image: name === 'db' ? 'berth.dev/postgres:1' : 'berth.dev/guestbook:1',
    ports: [],
    limits: {},
    volumes: name === 'db' ? [{ name: 'data', size: '1Gi' }] : [],
    ...change,
  };
}
