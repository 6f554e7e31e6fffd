import type { Deployment, Revision } from '@berth/core/deployment';
import { BerthError } from '@berth/core/errors';
import { ago } from './fixtures.ts';
import { aLongHistory, aRevisionDetail } from './history-fixtures.ts';
import type { Handlers } from './mock-api.ts';

/** Changes after the first deploy, from memory: history, rollback, scale, pause, clone, preview. */
export interface DayTwoParts {
  find: (id: string) => Deployment;
  change: (id: string, by: Partial<Deployment>) => Deployment;
  later: (id: string, by: Partial<Deployment>, message: string) => void;
  running: (deployment: Deployment) => Deployment['services'];
  add: (deployment: Deployment, message: string) => void;
  taken: (name: string) => boolean;
}

export function dayTwoHandlers({ find, change, later, running, add, taken }: DayTwoParts): Handlers {
  const revisionsOf = (id: string): Revision[] => {
    const { revision } = find(id);
    const known = aLongHistory();
    if (known[0]?.revision === revision) return known;
    return [
      {
        revision,
        summary: 'title changed',
        by: 'dev@localhost',
        createdAt: ago(0),
        template: { name: 'guestbook', version: '1.0.0' },
        outcome: 'running',
        current: true,
        serving: true,
      },
      ...known.filter((each) => each.revision < revision).map((each) => ({ ...each, current: false, serving: false })),
    ];
  };
  const roll = (id: string, by: Partial<Deployment>, message: string) => {
    const before = find(id);
    const after = change(id, { ...by, phase: 'Updating', revision: before.revision + 1, update: undefined });
    later(id, { phase: 'Running', services: running(after), update: undefined }, message);
    return after;
  };
  return {
    listRevisions: ({ params }) => ({ items: revisionsOf(params.id) }),
    getRevision: ({ params, query }) => {
      const detail = aRevisionDetail(revisionsOf(params.id), params.revision, query.against);
      if (!detail) throw new BerthError('not_found', `There is no revision ${params.revision}`);
      return detail;
    },
    rollBackDeployment: ({ params }) => roll(params.id, {}, 'is running'),
    scaleService: ({ params, body }) => {
      const { services } = find(params.id);
      const scaled = services.map((each) => (each.name === body.service ? { ...each, desired: body.replicas } : each));
      const before = find(params.id);
      const after = change(params.id, { services: scaled, phase: 'Updating', revision: before.revision + 1 });
      const ready = scaled.map((each) => ({ ...each, ready: each.desired }));
      later(params.id, { phase: 'Running', services: ready }, 'is running');
      return after;
    },
    pauseDeployment: ({ params }) => change(params.id, { paused: true, revision: find(params.id).revision + 1 }),
    resumeDeployment: ({ params }) => roll(params.id, { paused: false }, 'is running'),
    cloneDeployment: ({ params, body }) => {
      const from = find(params.id);
      if (taken(body.name)) {
        throw new BerthError('name_taken', `This team has a deployment ${body.name} already`, {
          suggestion: `${body.name}-2`,
        });
      }
      const host = `${body.host ?? body.name}.localhost`;
      const url = `http://${host}:7447`;
      const deployment: Deployment = {
        ...from,
        id: `d${body.name.replace(/[^a-z0-9]/g, '')}000000000000000`.slice(0, 16),
        name: body.name,
        host,
        url,
        addresses: [{ host, url, service: 'web' }],
        revision: 1,
        phase: 'Starting',
        update: undefined,
        paused: false,
        services: from.services.map((each) => ({ ...each, state: 'Starting', ready: 0, restarts: 0 })),
        createdAt: ago(0),
        updatedAt: ago(0),
      };
      add(deployment, `was cloned from ${from.name}`);
      later(deployment.id, { phase: 'Running', services: running(deployment) }, 'is running');
      return deployment;
    },
    previewUpdate: ({ params, body }) => {
      const { template, values, services, aliases, host } = find(params.id);
      if (body.aliases?.includes('taken.localhost') || body.aliases?.includes('taken')) {
        throw new BerthError('host_taken', 'taken.localhost is taken', { suggestion: 'taken-2' });
      }
      const version = body.version !== undefined && body.version !== template?.version;
      const changed = Object.entries(body.values ?? {}).filter(([key, value]) => values[key] !== value);
      const touched = version || changed.length > 0;
      return {
        changes: [
          ...(version
            ? [{ subject: 'Deployment', field: 'template version', before: template?.version, after: body.version }]
            : []),
          ...changed.map(([field, value]) => ({
            subject: 'Values',
            field,
            ...(values[field] !== undefined && { before: String(values[field]) }),
            after: String(value),
          })),
          ...(version
            ? services.map(({ name, image }) => ({
                subject: name,
                field: 'image',
                before: image,
                after: image.replace(/:.*/, `:${body.version}`),
              }))
            : []),
          ...(body.host && body.host !== host
            ? [{ subject: 'Deployment', field: 'address', before: host, after: body.host }]
            : []),
          ...(body.aliases && String(body.aliases) !== String(aliases)
            ? [
                {
                  subject: 'Deployment',
                  field: 'other addresses',
                  before: aliases.join(', '),
                  after: body.aliases.join(', '),
                },
              ]
            : []),
        ],
        rolls: touched ? services.filter((each) => each.volumes.length === 0).map((each) => each.name) : [],
        replaces: touched ? services.filter((each) => each.volumes.length > 0).map((each) => each.name) : [],
        warnings: [],
      };
    },
  };
}
