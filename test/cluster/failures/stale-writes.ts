import { readFile } from 'node:fs/promises';
import { type AuditEvent, WRITES } from '../audit.ts';

interface AuditEventOfPod extends AuditEvent {
  user: AuditEvent['user'] & { extra?: Record<string, string[]> };
}

/** What says of itself when it is true, and belongs to nobody, may come late. */
const HARMLESS = new Set(['leases', 'events', 'selfsubjectaccessreviews', 'tokenreviews']);
const POD = 'authentication.kubernetes.io/pod-name';

/**
 * What a pod wrote, and the apiserver took, after another one had become leader: told by the apiserver's audit log alone. A write that was
 * refused, because what it was about had changed or its time was over, has no effect.
 */
export async function staleWrites(log: string, { lease, oldLeader }: { lease: string; oldLeader: string }) {
  const events = (await readFile(log, 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AuditEventOfPod);
  const podOf = ({ user }: AuditEventOfPod) => user.extra?.[POD]?.[0] ?? '';
  const effective = events.filter(
    ({ verb, responseStatus }) => WRITES.includes(verb) && (responseStatus?.code ?? 500) < 300,
  );
  const taken = effective.find(
    (event) =>
      event.objectRef?.resource === 'leases' &&
      event.objectRef.name === lease &&
      podOf(event) !== '' &&
      podOf(event) !== oldLeader &&
      Date.parse(event.stageTimestamp) > lastRenewal(effective, { lease, oldLeader, podOf }),
  );
  const since = Date.parse(taken?.stageTimestamp ?? '');
  const stale = effective.filter(
    (event) =>
      podOf(event) === oldLeader &&
      Date.parse(event.stageTimestamp) > since &&
      !HARMLESS.has(event.objectRef?.resource ?? ''),
  );
  return {
    newLeader: taken && podOf(taken),
    stale: stale.map(({ verb, requestURI, stageTimestamp }) => `${stageTimestamp} ${verb} ${requestURI}`),
  };
}

/** The last time that the old one held it. */
function lastRenewal(
  events: readonly AuditEventOfPod[],
  { lease, oldLeader, podOf }: { lease: string; oldLeader: string; podOf: (event: AuditEventOfPod) => string },
): number {
  const renewals = events.filter(
    (event) => event.objectRef?.resource === 'leases' && event.objectRef.name === lease && podOf(event) === oldLeader,
  );
  return Date.parse(renewals.at(-1)?.stageTimestamp ?? '1970-01-01T00:00:00Z');
}
