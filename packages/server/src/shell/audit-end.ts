import { ROUTES } from '@berth/core/api';
import { appendAudit } from '../audit/append-audit.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { HandlerContext } from '../http/handler.ts';
import type { Target } from './find-pod.ts';

/** The opening is recorded as every request is. Its end is a record of its own, with the same request's id. */
export async function auditEnd(
  { database, clock }: { database: Database; clock: Clock },
  { actor, scope, request }: Pick<HandlerContext<'openShell'>, 'actor' | 'scope' | 'request'>,
  { target, detail, failed }: { target: Target; detail: string; failed: boolean },
): Promise<void> {
  const { path, method, permission } = ROUTES.openShell;
  await database.transaction((transaction) =>
    appendAudit(transaction, {
      at: clock(),
      actor: actor.email,
      actorId: actor.userId,
      action: permission,
      outcome: failed ? 'failed' : 'allowed',
      method,
      route: path,
      target: target.pod,
      teamId: scope.teamId,
      organizationId: scope.organizationId,
      requestId: request.id,
      address: request.address,
      detail,
    }),
  );
}
