import { ask } from '../support/ask.ts';
import type { Berth } from '../support/berth.ts';
import { clusterObjects, podProcesses, rowsOf, type StoredObject, volumeFolders } from '../support/truth.ts';
import type { Expected, Ledger } from './ledger.ts';

/**
 * Compares what the users were told with what is there. Nothing here asks Berth: rows and cluster objects come by SQL,
 * processes by /proc, volumes from the disk. (What apps answer comes through the router, as it does for their users.)
 */
export async function differences(berth: Berth, ledger: Ledger): Promise<string[]> {
  const expected = [...ledger.deployments.values()];
  const rows = await readTables(berth);
  const objects = rows.objects;
  return [
    ...compareSets(
      'rows',
      rows.deployments.map((row) => `${row.name} ${row.desired} ${row.greeting} ×${row.replicas}`),
      expected.map((each) => `${each.name} ${each.desired} ${each.greeting} ×${each.replicas}`),
    ),
    ...compareSets(
      'host claims',
      rows.hosts,
      expected.map((each) => `${each.name}.localhost`),
    ),
    ...compareSets(
      'secrets',
      rows.secrets,
      expected.filter(isGuestbook).map((each) => each.name),
    ),
    ...(rows.outbox > 0 ? [`${rows.outbox} entries wait in the outbox`] : []),
    ...rows.unfinished.map((row) => `${row.name} is ${row.phase}`),
    ...compareSets(
      'UserDeployments',
      names(objects, 'userdeployments.berth.dev'),
      expected.map((each) => each.name),
    ),
    // What was stopped before its pods were first made has no Deployment until it is started.
    ...compareSets('Deployments', names(objects, 'deployments.apps'), expected.flatMap(serviceNames), {
      optional: expected.filter((each) => !isRunning(each)).flatMap(serviceNames),
    }),
    ...compareSets(
      'Services',
      names(objects, 'services').filter((name) => name !== 'kubernetes'),
      expected.flatMap(serviceNames),
    ),
    ...compareSets(
      'Ingresses',
      names(objects, 'ingresses.networking.k8s.io'),
      expected.map((each) => each.name),
    ),
    ...compareSets(
      'ExternalSecrets',
      names(objects, 'externalsecrets.external-secrets.io'),
      expected.filter(isGuestbook).flatMap(serviceNames),
    ),
    ...compareSets(
      'claims',
      names(objects, 'persistentvolumeclaims'),
      expected.filter(isGuestbook).map((each) => `${each.name}-db-data`),
    ),
    // A folder comes with the first pod that mounts it.
    ...compareSets('volumes on the disk', volumeFolders(berth), volumeNames(objects, expected.filter(isGuestbook)), {
      optional: volumeNames(
        objects,
        expected.filter((each) => isGuestbook(each) && !isRunning(each)),
      ),
    }),
    ...compareSets('pods', counted(podServices(objects)), counted(expected.filter(isRunning).flatMap(podsOf))),
    ...compareSets(
      'jobs',
      objects.filter((each) => each.resource === 'jobs.batch').map(deploymentOf),
      expected.filter(isBreakable).map((each) => each.name),
      { optional: expected.filter((each) => isBreakable(each) && !isRunning(each)).map((each) => each.name) },
    ),
    ...compareSets(
      'updates that stopped',
      rows.stopped,
      expected.filter((each) => isRunning(each) && each.served !== undefined).map((each) => each.name),
    ),
    ...comparePodProcesses(berth, objects),
    ...(await compareAnswers(berth, expected)),
  ];
}

interface Tables {
  deployments: { name: string; desired: string; greeting: string; replicas: string }[];
  unfinished: { name: string; phase: string }[];
  hosts: string[];
  secrets: string[];
  outbox: number;
  stopped: string[];
  objects: StoredObject[];
}

async function readTables(berth: Berth): Promise<Tables> {
  const product = <R>(statement: string) => rowsOf<R>(berth, 'berth', statement);
  return {
    deployments: await product(
      `select name, desired, coalesce(parameter_values->>'greeting', parameter_values->>'title') as greeting,
         coalesce(replicas->>'web', '1') as replicas from deployments`,
    ),
    unfinished: await product(
      `select name, phase from deployments where phase <> case desired when 'running' then 'Running' else 'Stopped' end`,
    ),
    hosts: (await product<{ host: string }>('select host from host_claims')).map((row) => row.host),
    secrets: (
      await product<{ path: string }>(
        `select distinct coalesce(d.name, s.path) as path from secrets s left join deployments d on d.id = s.path`,
      )
    ).map((row) => row.path),
    stopped: (
      await product<{ name: string }>(
        `select name from deployments where desired = 'running' and observed->'update'->>'state' = 'stopped'`,
      )
    ).map((row) => row.name),
    outbox: (await product<{ count: number }>('select count(*)::int as count from outbox'))[0]?.count ?? 0,
    objects: await clusterObjects(berth),
  };
}

const isGuestbook = (each: Expected) => each.template === 'guestbook';
const isRunning = (each: Expected) => each.desired === 'running';
const isBreakable = (each: Expected) => each.template === 'breakable';
const podsOf = (each: Expected) =>
  isGuestbook(each) ? serviceNames(each) : Array.from({ length: each.replicas }, () => `${each.name}-web`);
const serviceNames = (each: Expected) =>
  isGuestbook(each) ? [`${each.name}-web`, `${each.name}-db`] : [`${each.name}-web`];

function names(objects: StoredObject[], resource: string): string[] {
  return objects.filter((each) => each.resource === resource).map((each) => each.value.metadata.name);
}

/** Volumes are named after their claims' uids. */
function volumeNames(objects: StoredObject[], owners: Expected[]): string[] {
  const claims = new Set(owners.map((each) => `${each.name}-db-data`));
  return objects
    .filter((each) => each.resource === 'persistentvolumeclaims' && claims.has(each.value.metadata.name))
    .map((each) => `pvc-${each.value.metadata.uid}`);
}

function podServices(objects: StoredObject[]): string[] {
  return runningPods(objects).map(
    ({ value }) => `${value.metadata.labels?.['berth.dev/deployment']}-${value.metadata.labels?.['berth.dev/service']}`,
  );
}

/** Those of jobs that have run to their end stay to be looked at. */
function runningPods(objects: StoredObject[]): StoredObject[] {
  return objects.filter(
    ({ resource, value }) => resource === 'pods' && !['Succeeded', 'Failed'].includes(value.status?.phase ?? ''),
  );
}

function deploymentOf({ value }: StoredObject): string {
  return value.metadata.labels?.['berth.dev/deployment'] ?? value.metadata.name;
}

function counted(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name} ×${count}`);
}

/** Every pod has processes, every process in a pod's directory has a pod, and one container has one process group. */
function comparePodProcesses(berth: Berth, objects: StoredObject[]): string[] {
  const pods = new Set(runningPods(objects).map((each) => each.value.metadata.uid));
  const groups = new Map<string, Set<number>>();
  for (const { uid, process } of podProcesses(berth)) {
    groups.set(uid, (groups.get(uid) ?? new Set()).add(process.group));
  }
  return [
    ...[...pods].filter((uid) => !groups.has(uid)).map((uid) => `pod ${uid} has no process`),
    ...[...groups.keys()]
      .filter((uid) => !pods.has(uid))
      .map((uid) => `processes ${[...(groups.get(uid) ?? [])]} belong to no pod (${uid})`),
    ...[...groups]
      .filter(([, set]) => set.size > 1)
      .map(([uid, set]) => `pod ${uid} runs ${set.size} times: groups ${[...set]}`),
  ];
}

async function compareAnswers(berth: Berth, expected: Expected[]): Promise<string[]> {
  const checks = expected.filter(isRunning).map(async (each) => {
    const path = isGuestbook(each) ? '/entries' : '/';
    const answer = await ask(each.name, berth.port, { path }).catch((error: Error) => ({
      status: 0,
      body: error.message,
    }));
    if (answer.status !== 200) return [`${each.name} answers ${answer.status}`];
    const wanted = isGuestbook(each) ? each.entries : [each.served ?? each.greeting];
    return wanted.filter((text) => !answer.body.includes(text)).map((text) => `${each.name} lacks ${text}`);
  });
  return (await Promise.all(checks)).flat();
}

function compareSets(
  what: string,
  actual: readonly string[],
  wanted: readonly string[],
  options: { optional?: readonly string[] } = {},
): string[] {
  const [have, want, optional] = [new Set(actual), new Set(wanted), new Set(options.optional)];
  return [
    ...[...want].filter((each) => !have.has(each) && !optional.has(each)).map((each) => `${what}: ${each} is missing`),
    ...[...have].filter((each) => !want.has(each)).map((each) => `${what}: ${each} is too many`),
    ...(actual.length > have.size ? [`${what}: ${actual.length - have.size} are there twice`] : []),
  ];
}
