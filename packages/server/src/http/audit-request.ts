import { isAudited } from '@berth/core/api';
import { ERROR_CODES } from '@berth/core/errors';
import type { Route } from '@berth/core/route';
import { type AuditEntry, appendAudit } from '../audit/append-audit.ts';
import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../db/database.ts';
import type { RoutedRequest } from './request-state.ts';

/**
 * Every mutation and every denial leaves one record. A mutation's is a part of the transaction that makes the change, so that neither
 * is there without the other; what changed nothing is recorded on its own. Reads leave none, save where the route says so: logs
 * and the audit log itself.
 */
export interface Auditor {
  database: Database;
  clock: Clock;
}

const DENIALS = new Set([401, 403, 421, 429]);

/** In the handler's transaction. It counts as written when that commits; rolled back, the failure gets a record instead. */
export async function auditInTransaction(
  auditor: Auditor,
  request: RoutedRequest,
  transaction: Transaction,
): Promise<void> {
  const { state } = request;
  if (state.audited || !state.route || !isAudited(state.route.definition)) return;
  const status = state.route.definition.status ?? 200;
  await appendAudit(transaction, entryOf(auditor, request, { outcome: 'allowed', status }));
  transaction.afterCommit(() => {
    state.audited = true;
  });
}

/** After a handler that used no transaction. */
export async function auditSuccess(auditor: Auditor, request: RoutedRequest): Promise<void> {
  const { state } = request;
  if (state.audited || !state.route) return;
  const { definition } = state.route;
  if (!isAudited(definition)) return;
  await write(auditor, request, { outcome: 'allowed', status: definition.status ?? 200 });
}

/** After anything that was thrown. */
export async function auditFailure(auditor: Auditor, request: RoutedRequest, status: number): Promise<void> {
  const { state } = request;
  if (state.audited || !state.route) return;
  // Who asks a socket's address without a handshake has asked for nothing yet: pages do, to read why one was refused.
  if (status === ERROR_CODES.upgrade_required.status) return;
  const denied = DENIALS.has(status) || state.draft.denied === true;
  if (!denied && !isAudited(state.route.definition)) return;
  await write(auditor, request, { outcome: denied ? 'denied' : 'failed', status });
}

async function write(auditor: Auditor, request: RoutedRequest, result: Result): Promise<void> {
  await auditor.database.transaction((transaction) => appendAudit(transaction, entryOf(auditor, request, result)));
  request.state.audited = true;
}

type Result = Pick<AuditEntry, 'outcome' | 'status'>;

function entryOf(auditor: Auditor, request: RoutedRequest, result: Result): AuditEntry {
  const { state } = request;
  const { draft } = state;
  const person = draft.by ?? state.actor;
  const definition = state.route?.definition;
  return {
    ...result,
    at: auditor.clock(),
    actor: person?.email ?? 'anonymous',
    actorId: person?.userId,
    action: definition?.permission ?? 'public',
    method: request.method,
    route: definition?.path,
    target: draft.target ?? targetOf(request, definition),
    teamId: draft.teamId,
    organizationId: draft.organizationId,
    requestId: request.id,
    address: request.ip,
    detail: draft.detail,
  };
}

/** The last parameter of the path: the object itself rather than what it is in. */
function targetOf(request: RoutedRequest, definition: Route | undefined): string | undefined {
  const name = definition?.path
    .match(/:(\w+)/g)
    ?.at(-1)
    ?.slice(1);
  return name === undefined ? undefined : (request.params as Record<string, string> | undefined)?.[name];
}
