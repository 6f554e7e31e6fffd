import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Berth, readPostmaster } from './berth.ts';
import { type Process, processes } from './processes.ts';

/**
 * What is there, told by SQL, /proc and the disk: tests that compare it with what Berth said must not ask Berth.
 */
export interface StoredObject {
  /** `deployments.apps` */
  resource: string;
  namespace: string;
  value: {
    metadata: { name: string; uid: string; labels?: Record<string, string> };
    status?: { phase?: string };
  };
}

/** Objects of the embedded cluster in team namespaces. Secrets are sealed: of them only the name can be told. */
export async function clusterObjects(berth: Berth): Promise<StoredObject[]> {
  const rows = await rowsOf<{ resource: string; namespace: string; name: string; value: string }>(
    berth,
    'cluster',
    'select resource, namespace, name, value from kube_objects',
  );
  return rows
    .filter((row) => row.namespace.startsWith('berth-'))
    .map(({ resource, namespace, name, value }) => ({
      resource,
      namespace,
      value: value.startsWith('{') ? JSON.parse(value) : { metadata: { name, uid: '' } },
    }));
}

export async function rowsOf<R>(berth: Berth, database: 'berth' | 'cluster', statement: string): Promise<R[]> {
  const postmaster = readPostmaster(berth.data);
  if (!postmaster) throw new Error('PostgreSQL left no postmaster.pid in the data directory');
  const client = new pg.Client({ host: postmaster.socketDirectory, port: postmaster.port, database, user: 'berth' });
  await client.connect();
  try {
    return (await client.query(statement)).rows as R[];
  } finally {
    await client.end();
  }
}

/** Processes of pods, by the pod's uid: a container's working directory is in its pod's folder. */
export function podProcesses(berth: Berth): { uid: string; process: Process }[] {
  return processes().flatMap((process) => {
    const match = /\/pods\/([0-9a-f-]{36})(\/|$)/.exec(process.directory);
    return match?.[1] && process.directory.startsWith(berth.data) ? [{ uid: match[1], process }] : [];
  });
}

export function volumeFolders(berth: Berth): string[] {
  const folder = [join(berth.data, 'cluster/volumes'), join(berth.data, 'volumes')].find((each) => existsSync(each));
  return folder ? readdirSync(folder) : [];
}

/** What a team's namespace always has; everything else belongs to a deployment. */
const OF_THE_TEAM = new Set([
  'resourcequotas',
  'limitranges',
  'secretstores.external-secrets.io',
  'serviceaccounts',
  'events',
  'configmaps kube-root-ca.crt',
  'networkpolicies.networking.k8s.io berth-default-deny',
  'secrets berth-delivery',
]);

/** Everything of any deployment that is still there, in words. */
export async function leftOf(berth: Berth): Promise<string[]> {
  const objects = (await clusterObjects(berth))
    .filter(
      ({ resource, value }) => !OF_THE_TEAM.has(resource) && !OF_THE_TEAM.has(`${resource} ${value.metadata.name}`),
    )
    .map(({ resource, value }) => `${resource} ${value.metadata.name}`);
  const tables = ['deployments', 'host_claims', 'secrets', 'outbox', 'revisions'].map(async (table) => {
    const rows = await rowsOf<{ count: number }>(berth, 'berth', `select count(*)::int as count from ${table}`);
    return (rows[0]?.count ?? 0) > 0 ? [`rows in ${table}`] : [];
  });
  return [
    ...objects,
    ...(await Promise.all(tables)).flat(),
    ...podProcesses(berth).map(({ uid, process }) => `process ${process.pid} of pod ${uid}`),
    ...volumeFolders(berth).map((name) => `volume ${name} on the disk`),
  ];
}
