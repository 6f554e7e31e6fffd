import { type AuditEvent, readAudit, WRITES } from '../audit.ts';

const NO_STATE_OF_ANYBODY = ['leases', 'events'];

/** What operators wrote from then on, refused or not, as the apiserver's audit log has it. Leases and Events are left out. */
export async function writesOf(
  auditLog: string,
  operators: readonly { user: string }[],
  since: Date,
): Promise<AuditEvent[]> {
  const events = await Promise.all(operators.map(({ user }) => readAudit(auditLog, { user, verbs: WRITES, since })));
  return events
    .flat()
    .filter(
      ({ stage, objectRef }) =>
        stage === 'ResponseComplete' && !NO_STATE_OF_ANYBODY.includes(objectRef?.resource ?? ''),
    );
}

export function isRefused({ responseStatus }: AuditEvent): boolean {
  return (responseStatus?.code ?? 0) >= 300;
}

export function described(events: readonly AuditEvent[]): string[] {
  return events.map(({ verb, objectRef, responseStatus, stageTimestamp }) => {
    const { resource, subresource, namespace, name } = objectRef ?? {};
    const what = [resource, subresource].filter(Boolean).join('/');
    return `${stageTimestamp} ${verb} ${what} ${namespace}/${name} ${responseStatus?.code}`;
  });
}
