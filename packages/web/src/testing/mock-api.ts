import type { RouteBody, RouteName, RouteOutput, RouteParams, RouteQuery } from '@berth/core/api';
import type { Activity, Deployment } from '@berth/core/deployment';
import { BerthError } from '@berth/core/errors';
import { applyLiveEvent, type LiveEvent, type LiveState } from '@berth/core/live';
import { valuesSchema } from '@berth/core/parameter';
import { fieldErrors } from '@berth/core/parse';
import type { PlanName } from '@berth/core/plans';
import {
  aDeployment,
  aMe,
  aService,
  aUsage,
  idOf,
  manyDeployments,
  someActivity,
  someAudit,
  someDeployments,
  someMembers,
  someTemplates,
  someTokens,
  TEAM_ID,
  usageUnder,
} from './fixtures.ts';
import { dayTwoHandlers } from './mock-day-two.ts';
import { mockMetrics, mockUse } from './mock-metrics.ts';
import { templateHandlers } from './mock-templates.ts';

/**
 * The contract served from memory, to look at pages without a server. Deployments behave a little: what is asked for
 * happens after a moment, and the event stream tells.
 */
interface Input<N extends RouteName> {
  params: RouteParams<N>;
  query: RouteQuery<N>;
  body: RouteBody<N>;
  ifMatch: string | undefined;
}
export type Handlers = { [N in RouteName]?: (input: Input<N>) => RouteOutput<N> };

export interface MockApi {
  handlers: Handlers;
  state: () => LiveState;
  subscribe: (listener: (event: LiveEvent) => void) => () => void;
}

export interface MockOptions {
  signedIn: boolean;
  dev: boolean;
  /** Of the platform. */
  admin?: boolean;
  many?: number;
  empty?: boolean;
  /** Changes a second, of any deployment. */
  churn?: number;
}

export function mockApi(options: MockOptions): MockApi {
  const listeners = new Set<(event: LiveEvent) => void>();
  let signedIn = options.signedIn;
  const me = aMe();
  me.user.platformAdmin = options.admin ?? false;
  let plan: PlanName | undefined;
  let members = someMembers();
  let tokens = someTokens();
  let activityId = 200;
  let state: LiveState = {
    deployments: options.empty ? [] : options.many ? manyDeployments(options.many) : someDeployments(),
    activity: options.empty ? [] : someActivity(),
  };
  const emit = (event: LiveEvent) => {
    state = applyLiveEvent(state, event);
    for (const listener of listeners) listener(event);
  };
  const tell = (deployment: string, kind: Activity['kind'], level: Activity['level'], message: string) =>
    emit({
      type: 'activity',
      activity: { id: ++activityId, teamId: TEAM_ID, deployment, kind, level, message, at: new Date().toISOString() },
    });
  const find = (id: string): Deployment => {
    const found = state.deployments.find((each) => each.id === id);
    if (!found) throw new BerthError('not_found', 'There is no such deployment, or you may not see it');
    return found;
  };
  const change = (id: string, by: Partial<Deployment>): Deployment => {
    const deployment = { ...find(id), ...by, updatedAt: new Date().toISOString() };
    emit({ type: 'deployment', deployment });
    return deployment;
  };
  const later = (id: string, by: Partial<Deployment>, message: string) =>
    setTimeout(() => {
      if (!state.deployments.some((each) => each.id === id)) return;
      const { name } = change(id, by);
      tell(name, 'running', 'ok', message);
    }, 2_500).unref();
  const running = (deployment: Deployment) =>
    deployment.services.map((each) => ({
      ...each,
      state: 'Running' as const,
      reason: undefined,
      message: undefined,
      desired: Math.max(1, each.desired),
      ready: Math.max(1, each.desired),
    }));
  const template = (name: string) => {
    const found = someTemplates().find((each) => each.name === name);
    if (!found) throw new BerthError('not_found', `There is no template "${name}"`);
    return found;
  };
  const check = (body: RouteBody<'createDeployment'>, creating: boolean) => {
    const found = template(body.template);
    const result = valuesSchema(found.parameters).safeParse(body.values ?? {});
    if (!result.success) {
      const fields = fieldErrors(result.error).map((each) => ({ ...each, path: `values.${each.path}` }));
      throw new BerthError('invalid_input', 'The form is not right', { fields });
    }
    if (creating && state.deployments.some((each) => each.name === body.name)) {
      throw new BerthError('name_taken', `This team has a deployment ${body.name} already`, {
        suggestion: `${body.name}-2`,
      });
    }
    if (creating && body.host === 'taken') {
      throw new BerthError('host_taken', 'taken.localhost is taken', { suggestion: 'taken-2' });
    }
    if (creating && body.name === 'too-many') {
      throw new BerthError('limit_reached', '15 of 15 deployments are used', {
        limit: { resource: 'deployments', used: 15, allowed: 15 },
      });
    }
    return found;
  };
  const hostOf = (alias: string) => (alias.includes('.') ? alias : `${alias}.localhost`);
  const addressesOf = ({ addresses }: Deployment, aliases: readonly string[]) => [
    ...addresses.slice(0, 1),
    ...aliases.map((alias) => {
      const host = hostOf(alias);
      return { host, url: `http://${host}:7447`, service: 'web' };
    }),
  ];
  const servicesOf = (name: string) =>
    name === 'guestbook'
      ? [aService('web', 'Starting'), aService('database', 'Starting', { volumes: [{ name: 'data', size: '1Gi' }] })]
      : [aService(name, 'Starting')];

  const handlers: Handlers = {
    ...dayTwoHandlers({
      find,
      change,
      later,
      running,
      add: (deployment, message) => {
        emit({ type: 'deployment', deployment });
        tell(deployment.name, 'created', 'info', message);
      },
      taken: (name) => state.deployments.some((each) => each.name === name),
    }),
    getConfig: () => ({
      version: '0.1.0',
      domain: 'localhost',
      appUrl: 'http://{name}.localhost:7447',
      signIn: { dev: options.dev, password: true },
    }),
    signIn: ({ body }) => {
      if (body.password !== 'correct horse')
        throw new BerthError('bad_credentials', 'The e-mail or the password is not right');
      signedIn = true;
      return me;
    },
    signInForDevelopment: () => {
      signedIn = true;
      return me;
    },
    signOut: () => {
      signedIn = false;
      return undefined;
    },
    getMe: () => {
      if (!signedIn) throw new BerthError('unauthenticated', 'Sign in first');
      return me;
    },
    listTokens: () => ({ items: tokens }),
    createToken: ({ body }) => {
      const token = { id: idOf(body.name), name: body.name, createdAt: new Date().toISOString() };
      tokens = [token, ...tokens];
      return { ...token, token: 'berth_3kf83hfk29dk3mf8s7d6f5g4h3j2k1l0' };
    },
    deleteToken: ({ params }) => {
      tokens = tokens.filter((each) => each.id !== params.id);
      return undefined;
    },
    getUsage: () => {
      const usage = aUsage(options.empty ? { deployments: { used: 0, allowed: 15 } } : {});
      return plan ? usageUnder(plan, usage) : usage;
    },
    updatePlan: ({ params, body }) => {
      const organization = me.organizations.find((each) => each.id === params.organizationId);
      if (!organization) throw new BerthError('not_found', 'There is no such organization');
      plan = body.plan;
      organization.plan = plan;
      return organization;
    },
    listMembers: () => ({ items: members }),
    addMember: ({ body }) => {
      if (body.email.startsWith('nobody'))
        throw new BerthError('not_found', `Nobody here has the e-mail ${body.email}`);
      const member = { userId: idOf(body.email), email: body.email, name: '', role: body.role };
      members = [...members, member];
      return member;
    },
    updateMember: ({ params, body }) => {
      members = members.map((each) => (each.userId === params.userId ? { ...each, role: body.role } : each));
      return members.find((each) => each.userId === params.userId) as (typeof members)[number];
    },
    removeMember: ({ params }) => {
      members = members.filter((each) => each.userId !== params.userId);
      return undefined;
    },
    createTeam: ({ body }) => {
      const team = { ...(me.teams[0] as (typeof me.teams)[number]), id: idOf(body.name), name: body.name };
      me.teams.push(team);
      return team;
    },
    createOrganization: ({ body }) => {
      const organization = {
        ...(me.organizations[0] as (typeof me.organizations)[number]),
        id: idOf(`o${body.name}`),
        name: body.name,
      };
      me.organizations.push(organization);
      me.teams.push({
        ...(me.teams[0] as (typeof me.teams)[number]),
        id: idOf(`t${body.name}`),
        name: 'Default',
        organizationId: organization.id,
        organizationName: body.name,
      });
      return organization;
    },
    ...templateHandlers(someTemplates()),
    listDeployments: () => ({ items: state.deployments }),
    listActivity: () => ({ items: state.activity }),
    getDeployment: ({ params }) => find(params.id),
    previewDeployment: ({ body }) => {
      const found = check(body, false);
      const services = servicesOf(found.name).map(({ name, image, volumes }) => ({
        name,
        image,
        replicas: 1,
        volumes,
      }));
      const host = `${body.host ?? body.name}.localhost`;
      return {
        ...(found.exposed && { host, url: `http://${host}:7447` }),
        services,
        jobs: [],
        uses: {
          cpu: 0.2 * services.length,
          memory: services.length * 128 * 2 ** 20,
          storage: found.name === 'guestbook' ? 2 ** 30 : 0,
        },
        warnings: body.values?.greeting ? ['No shell can read the variable spring.datasource.url as $NAME.'] : [],
        plan: { deployments: { used: 14, allowed: 15 } },
      };
    },
    createDeployment: ({ body }) => {
      const found = check(body, true);
      const host = `${body.host ?? body.name}.localhost`;
      const deployment = aDeployment({
        id: idOf(body.name),
        name: body.name,
        displayName: body.displayName,
        phase: 'Starting',
        template: { name: found.name, version: found.version },
        host: found.exposed ? host : undefined,
        url: found.exposed ? `http://${host}:7447` : undefined,
        values: Object.fromEntries(Object.entries(body.values ?? {}).filter(([key]) => !/[pP]assword/.test(key))),
        services: servicesOf(found.name),
        createdAt: new Date().toISOString(),
        updatedAt: new Date().toISOString(),
      });
      emit({ type: 'deployment', deployment });
      tell(body.name, 'created', 'info', `was deployed from ${found.displayName} ${found.version}`);
      later(deployment.id, { phase: 'Running', services: running(deployment) }, 'is running');
      return deployment;
    },
    updateDeployment: ({ params, body, ifMatch }) => {
      const before = find(params.id);
      if (ifMatch !== undefined && ifMatch !== `"${before.revision}"`) {
        throw new BerthError('conflict', 'Somebody else changed this deployment meanwhile');
      }
      later(params.id, { phase: 'Running' }, 'is running');
      return change(params.id, {
        phase: 'Updating',
        revision: before.revision + 1,
        displayName: body.displayName ?? before.displayName,
        values: Object.fromEntries(
          Object.entries(body.values ?? before.values).filter(([key]) => !/[pP]assword/.test(key)),
        ),
        ...(body.aliases && { aliases: body.aliases.map(hostOf), addresses: addressesOf(before, body.aliases) }),
        ...(body.host && { host: `${body.host}.localhost`, url: `http://${body.host}.localhost:7447` }),
      });
    },
    stopDeployment: ({ params }) => {
      const services = find(params.id).services.map((each) => ({ ...each, state: 'Stopped' as const, ready: 0 }));
      later(params.id, { phase: 'Stopped', services }, 'stopped');
      return change(params.id, { desired: 'stopped', phase: 'Updating' });
    },
    startDeployment: ({ params }) => {
      later(params.id, { phase: 'Running', services: running(find(params.id)) }, 'is running');
      return change(params.id, { desired: 'running', phase: 'Starting' });
    },
    restartDeployment: ({ params }) => {
      if (find(params.id).name === 'docs') throw new BerthError('unavailable', 'The cluster does not answer');
      later(params.id, { phase: 'Running', services: running(find(params.id)) }, 'is running');
      return change(params.id, { phase: 'Updating' });
    },
    getRemoval: ({ params }) => {
      const { name, host, services } = find(params.id);
      return {
        items: [
          ...services.map((each) => ({ kind: 'service' as const, name: each.name, detail: 'stops for good' })),
          ...services.flatMap((each) =>
            each.volumes.map((volume) => ({
              kind: 'volume' as const,
              name: `${each.name}/${volume.name}`,
              detail: `${volume.size} with everything in it`,
            })),
          ),
          { kind: 'secret', name: 'databasePassword', detail: 'its value is erased' },
          ...(host ? [{ kind: 'address' as const, name: host, detail: 'is free for others' }] : []),
          { kind: 'history', name, detail: '8 revisions' },
        ],
      };
    },
    deleteDeployment: ({ params }) => {
      const deployment = change(params.id, { desired: 'deleted', phase: 'Deleting' });
      setTimeout(() => {
        emit({ type: 'removed', id: params.id });
        tell(deployment.name, 'deleted', 'info', 'was deleted');
      }, 2_000).unref();
      return deployment;
    },
    listDeploymentActivity: ({ params }) => {
      const { name } = find(params.id);
      return { items: state.activity.filter((each) => each.deployment === name) };
    },
    listAudit: () => ({ items: someAudit() }),
    getMetrics: ({ params, query }) => mockMetrics(find(params.id), query.range ?? '1h'),
    listCurrentUse: () => ({ items: mockUse(state.deployments) }),
  };
  if (options.churn) setInterval(() => churn(state.deployments, change), 1_000 / options.churn).unref();
  return {
    handlers,
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** What a busy team looks like: something is always starting, restarting or done with it. */
function churn(deployments: readonly Deployment[], change: (id: string, by: Partial<Deployment>) => void): void {
  const picked = deployments[Math.floor(Math.random() * deployments.length)];
  if (picked?.desired !== 'running') return;
  const phase = picked.phase === 'Running' ? 'Updating' : 'Running';
  const services = picked.services.map((each) => ({ ...each, ready: phase === 'Running' ? each.desired : 0 }));
  change(picked.id, { phase, services });
}
