import { readFile } from 'node:fs/promises';

/** What the apiserver did, and for whom. Bodies are not kept; who asked for what, when and with which answer is. */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    // Kubernetes' own talk to itself would be most of it.
    {
      level: 'None',
      users: ['system:apiserver', 'system:kube-controller-manager', 'system:kube-scheduler', 'system:kube-proxy'],
    },
    { level: 'None', userGroups: ['system:nodes'] },
    { level: 'None', nonResourceURLs: ['/healthz*', '/livez*', '/readyz*', '/version', '/openapi*'] },
    { level: 'Metadata' },
  ],
};

export interface AuditEvent {
  verb: string;
  user: { username: string; groups?: string[] };
  userAgent?: string;
  requestURI: string;
  objectRef?: { resource: string; namespace?: string; name?: string; apiGroup?: string; subresource?: string };
  responseStatus?: { code: number; reason?: string };
  requestReceivedTimestamp: string;
  stageTimestamp: string;
  stage: string;
}

export interface AuditFilter {
  user?: string;
  verbs?: string[];
  /** From then on. */
  since?: Date;
}

export const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];

export async function readAudit(path: string, filter: AuditFilter = {}): Promise<AuditEvent[]> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  // The last line may be on its way.
  lines.pop();
  return lines.map((line) => JSON.parse(line) as AuditEvent).filter((event) => isWanted(event, filter));
}

function isWanted(event: AuditEvent, { user, verbs, since }: AuditFilter): boolean {
  if (user !== undefined && event.user.username !== user) return false;
  if (verbs !== undefined && !verbs.includes(event.verb)) return false;
  return since === undefined || Date.parse(event.requestReceivedTimestamp) >= since.getTime();
}
