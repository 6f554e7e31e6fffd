import { type AuditEvent, readAudit, WRITES } from '../../cluster/audit.ts';

/** What one user has asked of the server. */
export interface Requests {
  writes: number;
  reads: number;
  /** Writes of Leases, which are no work. */
  leases: number;
  /** Writes by verb and resource, most first. */
  kinds: [what: string, count: number][];
}

export async function requestsOf(auditLog: string, filter: { user: string; since: Date }): Promise<Requests> {
  const kinds = new Map<string, number>();
  const requests = { writes: 0, reads: 0, leases: 0 };
  for (const event of await readAudit(auditLog, filter)) {
    if (event.stage !== 'ResponseComplete') continue;
    if (!WRITES.includes(event.verb)) requests.reads++;
    else if (event.objectRef?.resource === 'leases') requests.leases++;
    else {
      requests.writes++;
      const kind = kindOf(event);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  }
  return { ...requests, kinds: [...kinds].sort(([, a], [, b]) => b - a) };
}

/** With the answer where it was a refusal. */
function kindOf({ verb, objectRef, responseStatus }: AuditEvent): string {
  const { resource = 'other', subresource } = objectRef ?? {};
  const code = responseStatus?.code ?? 0;
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}${code >= 400 ? ` (${code})` : ''}`;
}
