import { IDEMPOTENCY_HEADER, type RouteBody, type RouteName } from '@berth/core/api';
import type { Deployment } from '@berth/core/deployment';
import { BerthError } from '@berth/core/errors';
import type { Database, Queryable, Transaction } from '../db/database.ts';
import type { DeploymentRouteName, DeploymentRoutes, HandlerContext, Handlers, TeamScope } from '../http/handler.ts';
import { readyJson } from '../http/ready-json.ts';
import { livePosition } from '../live/live-changes.ts';
import { listActivity } from './activity.ts';
import { cloneDeployment } from './clone-deployment.ts';
import { createDeployment, previewDeployment } from './create-deployment.ts';
import type { Author, DeploymentDeps } from './deployment-deps.ts';
import { findById, list } from './deployment-repository.ts';
import type { DeploymentView } from './deployment-row.ts';
import { idempotently } from './idempotency.ts';
import {
  type ChangeRequest,
  deleteDeployment,
  pauseDeployment,
  restartDeployment,
  resumeDeployment,
  startDeployment,
  stopDeployment,
} from './lifecycle.ts';
import { createListAnswers } from './list-answers.ts';
import { presentDeployment } from './present-deployment.ts';
import { presentRevision, presentRevisions } from './present-revision.ts';
import { previewUpdate } from './preview-update.ts';
import { removalOf } from './removal.ts';
import { countRevisions } from './revision-repository.ts';
import { rollBackDeployment } from './roll-back.ts';
import { scaleService } from './scale-service.ts';
import { updateDeployment } from './update-deployment.ts';
import { usageOf } from './usage.ts';

export interface DeploymentRoutesDeps extends DeploymentDeps {
  database: Database;
}

type StreamRoute =
  | 'streamEvents'
  | 'streamLogs'
  | 'downloadLogs'
  | 'streamLive'
  | 'getMetrics'
  | 'streamMetrics'
  | 'listCurrentUse'
  | 'openShell'
  | 'forwardPort';
export type DeploymentHandlers = Handlers<Exclude<DeploymentRouteName, StreamRoute>>;

type ChangeRoute =
  | 'updateDeployment'
  | 'stopDeployment'
  | 'startDeployment'
  | 'restartDeployment'
  | 'pauseDeployment'
  | 'resumeDeployment'
  | 'scaleService'
  | 'rollBackDeployment'
  | 'deleteDeployment';

const PAGE_LENGTH = 100;

/** Everything but streams and sockets, which `live/` adds. */
export function deploymentHandlers(deps: DeploymentRoutesDeps): DeploymentHandlers {
  const { database } = deps;
  const answers = createListAnswers();
  const show = (row: DeploymentView, scope: TeamScope): Deployment =>
    presentDeployment(row, { permissions: scope.permissions, urlOf: deps.urlOf });

  async function load(queryable: Queryable, id: string): Promise<DeploymentView> {
    const row = await findById(queryable, id);
    if (!row) throw new BerthError('not_found', 'There is no such deployment, or you may not see it.');
    return row;
  }

  /** A change in one transaction with its audit record, replayed for a repeated `Idempotency-Key`. */
  async function change<N extends RouteName>(
    context: HandlerContext<N> & { actor: { userId: string }; scope: TeamScope },
    { route, work }: { route: N; work: (transaction: Transaction) => Promise<string> },
  ): Promise<Deployment> {
    const request = { route, params: context.params, body: context.body, ifMatch: context.request.header('if-match') };
    const key = { userId: context.actor.userId, key: context.request.header(IDEMPOTENCY_HEADER), request };
    return context.transaction(async (transaction) => {
      const answer = await idempotently<Deployment>(
        { transaction, keys: deps.keys, clock: deps.clock },
        key,
        async () => show(await load(transaction, await work(transaction)), context.scope),
      );
      context.audit.target(answer.response.name);
      context.audit.detail(answer.replayed ? 'replayed' : `revision ${answer.response.revision}`);
      return answer.response;
    });
  }

  /** A route that changes the deployment in its path, by a rule that may take what its body says. */
  const byId =
    <N extends ChangeRoute>(
      route: N,
      act: (
        deps: DeploymentDeps,
        transaction: Transaction,
        request: ChangeRequest & { body: RouteBody<N> },
      ) => Promise<void>,
    ) =>
    (context: HandlerContext<N>): Promise<Deployment> => {
      const { id } = context.params as { id: string };
      const known = context as HandlerContext<N> & { actor: Author; scope: TeamScope };
      return change<N>(known, {
        route,
        work: async (transaction) => {
          const request = { id, author: known.actor, ifRevision: ifRevision(context), body: context.body };
          await act(deps, transaction, request);
          return id;
        },
      });
    };

  return {
    async listDeployments({ scope, query }) {
      const limit = query.limit ?? PAGE_LENGTH;
      const { teamId } = scope;
      const { name, q, phase, cursor } = query;
      const position = await livePosition(database, teamId);
      const details = [[...scope.permissions].sort(), limit, name, q, phase, cursor];
      const bytes = await answers.answer({ teamId, position, details }, async () => {
        const rows = await list(database, { teamId, limit: limit + 1, after: cursor, name, q, phase });
        const items = rows.slice(0, limit).map((row) => show(row, scope));
        const last = items.at(-1);
        return { items, ...(rows.length > limit && last && { next: last.name }) };
      });
      return readyJson(bytes);
    },
    createDeployment: (context) =>
      change(context, {
        route: 'createDeployment',
        work: (transaction) =>
          createDeployment(deps, transaction, { place: context.scope, body: context.body, author: context.actor }),
      }),
    cloneDeployment: (context) =>
      change(context, {
        route: 'cloneDeployment',
        work: (transaction) =>
          cloneDeployment(deps, transaction, {
            id: context.params.id,
            place: context.scope,
            body: context.body,
            author: context.actor,
          }),
      }),
    previewDeployment: ({ scope, body }) => previewDeployment(deps, database, { place: scope, body }),
    async previewUpdate({ params, body }) {
      return previewUpdate(deps, database, { row: await load(database, params.id), body });
    },
    async getDeployment({ params, scope, setHeader }) {
      const row = await load(database, params.id);
      setHeader('etag', `"${row.revision}"`);
      return show(row, scope);
    },
    updateDeployment: byId('updateDeployment', updateDeployment),
    stopDeployment: byId('stopDeployment', stopDeployment),
    startDeployment: byId('startDeployment', startDeployment),
    restartDeployment: byId('restartDeployment', restartDeployment),
    pauseDeployment: byId('pauseDeployment', pauseDeployment),
    resumeDeployment: byId('resumeDeployment', resumeDeployment),
    scaleService: byId('scaleService', scaleService),
    rollBackDeployment: byId('rollBackDeployment', rollBackDeployment),
    deleteDeployment: byId('deleteDeployment', deleteDeployment),
    async getRemoval({ params }) {
      return removalOf(await load(database, params.id), await countRevisions(database, params.id));
    },
    async listRevisions({ params }) {
      return { items: await presentRevisions(database, await load(database, params.id)) };
    },
    async getRevision({ params, query }) {
      const asked = { revision: params.revision, against: query.against };
      return presentRevision(database, await load(database, params.id), asked);
    },
    listDeploymentActivity: ({ params, query }) => activityPage({ deploymentId: params.id }, query),
    listActivity: ({ scope, query }) => activityPage({ teamId: scope.teamId }, query),
    getUsage: ({ scope }) => usageOf(database, scope),
  };

  async function activityPage(
    of: { teamId: string } | { deploymentId: string },
    query: { limit?: number | undefined; cursor?: string | undefined },
  ) {
    const limit = query.limit ?? PAGE_LENGTH;
    const items = await listActivity(database, { of, limit: limit + 1, before: beforeOf(query.cursor) });
    const page = items.slice(0, limit);
    const last = page.at(-1);
    return { items: page, ...(items.length > limit && last && { next: String(last.id) }) };
  }
}

export function teamOfDeployment(database: Queryable): DeploymentRoutes['teamOfDeployment'] {
  return async (id) => {
    const [row] = await database.query<{ teamId: string }>('select team_id from deployments where id = $1', [id]);
    return row?.teamId;
  };
}

/** `If-Match: "7"` or `7`; `*` and none mean any. */
function ifRevision({ request }: Pick<HandlerContext<RouteName>, 'request'>): number | undefined {
  const text = request.header('if-match')?.trim();
  if (text === undefined || text === '' || text === '*') return undefined;
  const revision = /^(?:W\/)?"?(\d{1,9})"?$/.exec(text)?.[1];
  if (revision === undefined) {
    throw new BerthError('invalid_input', 'If-Match takes the revision that you saw, as in If-Match: "7".');
  }
  return Number(revision);
}

function beforeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new BerthError('invalid_input', 'cursor is not one that a page before this gave.');
}
