import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Activity, Deployment } from '@berth/core/deployment';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import { DEPLOYMENT, INGRESS, LEASE, NETWORK_POLICY, POD, SERVICE } from '@berth/kube/schema/resources';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/berth.ts';
import { type ClusterPlatform, roleProcesses } from '../support/cluster-platform.ts';
import { containerProcesses } from '../support/container-processes.ts';
import { containerIds } from '../support/installation.ts';
import { openCluster } from '../support/target.ts';
import { type Follower, startFollower } from './failures/follower.ts';
import { whileAllStopped, whileStopped } from './failures/parts.ts';
import { staleWrites } from './failures/stale-writes.ts';
import { startWriter, type Writer } from './failures/writer.ts';

/**
 * Two servers and two operators under load, while one after another of what they are made of and stand on is killed, stopped or cut off. In the
 * end what was acknowledged is there once and no more. In continuous integration failures are shorter; with --long they last as long as people
 * fear.
 */
const long = process.env.BERTH_TEST_LONG === '1';
const LEADER_STOPPED_MS = long ? 60_000 : 25_000;
const CUT_OFF_MS = long ? 120_000 : 20_000;
const WRITERS = 3;
const USER_DEPLOYMENT: ResourceType = {
  group: 'berth.dev',
  version: 'v1alpha1',
  kind: 'UserDeployment',
  plural: 'userdeployments',
  namespaced: true,
};

let platform: ClusterPlatform;
let team: { id: string; namespace: string };
let writers: Writer[] = [];
let followers: Follower[] = [];
const recoveries: string[] = [];

beforeAll(async () => {
  platform = await openCluster('failures');
  const { items } = await platform.api.send<{ items: (typeof team)[] }>('GET', '/api/teams');
  team = items[0]!;
  const { url, api } = platform;
  writers = Array.from({ length: WRITERS }, (_, at) =>
    startWriter({ name: `writer-${at}`, url, headers: api.headers }),
  );
  followers = Array.from({ length: 3 }, () => startFollower({ url, headers: api.headers, team: team.id }));
  await until('every writer has been answered', 60_000, () =>
    writers.every(({ answeredAt, problems }) => problems.length > 0 || answeredAt.length > 1),
  );
  expectNoProblem();
});
afterAll(async () => {
  await Promise.all([...writers, ...followers].map((each) => each.stop()));
  console.log(`\nRecovery:\n${recoveries.join('\n')}`);
  await platform?.end();
});

const clusterFolder = () => process.env.BERTH_TEST_CLUSTER ?? '';
const podsReady = async (role: 'server' | 'operator') => {
  const { items } = await platform.client.list(POD, {
    namespace: platform.installation.namespace,
    labelSelector: `app.kubernetes.io/component=${role}`,
  });
  return items.filter(isReady).length;
};

/** How long it took from the failure until every writer was answered again, and until `whole`. */
async function recovered(what: string, whole: () => boolean | Promise<boolean>): Promise<void> {
  const since = performance.now();
  const took = () => `${((performance.now() - since) / 1000).toFixed(1)} s`;
  await until(`every writer is answered after ${what}`, 90_000, () =>
    writers.every((writer) => writer.problems.length > 0 || (writer.answeredAt.at(-1) ?? 0) > since),
  );
  const answered = took();
  await until(`all is well after ${what}`, 180_000, async () => await Promise.resolve(whole()).catch(() => false));
  recoveries.push(`  ${what}: every writer answered after ${answered}, all as before after ${took()}`);
}

/** Of what is acknowledged and not yet the resource's, and the other way round. */
const unsettled = async () => {
  const wanted = writers.flatMap(({ settled }) => [...settled].map(([name, { greeting }]) => `${name} ${greeting}`));
  const { items } = await platform.client.list(USER_DEPLOYMENT, { namespace: team.namespace });
  const found = items.map(greetingOf);
  return [...wanted.filter((each) => !found.includes(each)), ...found.filter((each) => !wanted.includes(each))];
};
const expectNoProblem = () => expect([...writers, ...followers].flatMap(({ problems }) => problems)).toEqual([]);

describe('under load nothing is lost', () => {
  it('when a server and an operator are killed', async () => {
    for (const role of ['server', 'operator'] as const) {
      const [victim] = await roleProcesses(platform.client, platform.installation, role);
      process.kill(victim!.pids[0]!, 'SIGKILL');
      await recovered(`kill -9 of one ${role}`, async () => {
        const now = await roleProcesses(platform.client, platform.installation, role);
        const all = now.every(({ pids }) => pids.length > 0 && pids[0] !== victim!.pids[0]);
        return all && (await podsReady(role)) === 2;
      });
    }
    expectNoProblem();
  });

  it('when the operator that leads stops, another takes over, and the first goes on as if nothing had been', async () => {
    const { client, installation } = platform;
    const at = { name: 'berth-operator', namespace: installation.namespace };
    const holder = async () => ((await client.get(LEASE, at)).spec as { holderIdentity?: string }).holderIdentity ?? '';
    const operators = await roleProcesses(client, installation, 'operator');
    const before = await holder();
    const leader = operators.find(({ pod }) => before.includes(pod));
    expect(leader, `${before} is one of ${operators.map(({ pod }) => pod)}`).toBeDefined();
    const since = performance.now();
    await whileAllStopped(leader!.pids, async () => {
      await until('another leads', 60_000, async () => !['', before].includes(await holder()));
      recoveries.push(
        `  a leader that stops: another leads after ${((performance.now() - since) / 1000).toFixed(1)} s`,
      );
      await delay(Math.max(0, LEADER_STOPPED_MS - (performance.now() - since)));
    });
    await recovered('the old leader goes on', async () => (await podsReady('operator')) === 2);
    const log = join(clusterFolder(), 'log/audit.log');
    const { newLeader, stale } = await staleWrites(log, { lease: at.name, oldLeader: leader!.pod });
    expect(newLeader).toMatch(/operator/);
    expect(stale).toEqual([]);
    expectNoProblem();
  });

  it('when PostgreSQL is killed', async () => {
    const { client, installation } = platform;
    const at = { name: installation.database.pod, namespace: installation.namespace };
    const [container] = containerIds(await client.get(POD, at));
    process.kill(containerProcesses(container!)[0]!, 'SIGKILL');
    await recovered(
      'kill -9 of PostgreSQL',
      async () => isReady(await client.get(POD, at)) && (await podsReady('server')) === 2,
    );
    expectNoProblem();
  });

  it('when nobody reaches the apiserver', async () => {
    await whileStopped(clusterFolder(), 'apiserver', () => delay(CUT_OFF_MS));
    await recovered(
      `${CUT_OFF_MS / 1000} s without an apiserver`,
      async () => (await podsReady('server')) === 2 && (await podsReady('operator')) === 2,
    );
    expectNoProblem();
  });

  it('and ten children that were deleted by hand are back within five seconds', async () => {
    // Nobody may take away meanwhile what they belong to.
    await Promise.all(writers.map((writer) => writer.stop()));
    await until('what was acknowledged is what there is', 60_000, async () => (await unsettled()).length === 0);
    const children = (await childrenOf(platform, team.namespace)).slice(0, 10);
    expect(children).toHaveLength(10);
    const since = performance.now();
    for (const { type, object } of children)
      await platform.client.delete(type, { name: object.metadata.name, namespace: team.namespace });
    const missing = async () => {
      const now = await childrenOf(platform, team.namespace);
      return children.filter(
        ({ object }) =>
          !now.some(
            (each) =>
              each.object.kind === object.kind &&
              each.object.metadata.name === object.metadata.name &&
              each.object.metadata.uid !== object.metadata.uid,
          ),
      );
    };
    await until('all ten are back', 20_000, async () => (await missing()).length === 0);
    const seconds = (performance.now() - since) / 1000;
    recoveries.push(`  ten children deleted by hand: back after ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(5);
  });

  it('what was acknowledged is there once, everybody was told of everything, and no event was lost', async () => {
    const wanted = new Map(writers.flatMap(({ settled }) => [...settled]));
    const list = async () =>
      (await platform.api.send<{ items: Deployment[] }>('GET', '/api/deployments?limit=500')).items;
    await until('all of them run', 120_000, async () => {
      const now = await list();
      return now.length === wanted.size && now.every(({ phase }) => phase === 'Running');
    }).catch(() => undefined);
    const rows = (await list()).map(({ name, phase, values }) => `${name} ${phase} ${values.greeting}`);
    const acknowledged = [...wanted].map(([name, { greeting }]) => `${name} Running ${greeting}`);
    expect(rows.sort()).toEqual(acknowledged.sort());

    const inCluster = await platform.client.list(USER_DEPLOYMENT, { namespace: team.namespace });
    expect(inCluster.items.map(greetingOf).sort()).toEqual(
      [...wanted].map(([name, { greeting }]) => `${name} ${greeting}`).sort(),
    );
    for (const type of [DEPLOYMENT, SERVICE, INGRESS]) {
      const { items } = await platform.client.list(type, { namespace: team.namespace });
      expect(items.map(({ metadata }) => metadata.labels?.['berth.dev/deployment']).sort()).toEqual(
        [...wanted.keys()].sort(),
      );
    }

    const { items: told } = await platform.api.send<{ items: Activity[] }>(
      'GET',
      `/api/activity?team=${team.id}&limit=200`,
    );
    const newest = told[0]!.id;
    await until('everybody was told the newest', 30_000, () => followers.every((each) => each.told.includes(newest)));
    for (const follower of followers) {
      // They are told in the order in which they were committed, not in that of their numbers.
      const since = Math.max(follower.beganAfter + 1, told.at(-1)!.id);
      const expected = told.map(({ id }) => id).filter((id) => id >= since);
      expect(follower.told.filter((id) => id >= since).sort(byNumber)).toEqual(expected.sort(byNumber));
      expect(new Set(follower.told).size).toBe(follower.told.length);
      expect(follower.state.deployments.map(({ name }) => name).sort()).toEqual([...wanted.keys()].sort());
      expect(follower.connections).toBeGreaterThan(1);
    }
    expectNoProblem();
  });
});

const byNumber = (one: number, other: number) => one - other;

function isReady({ status, metadata }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
  const ready = conditions.some((each) => each.type === 'Ready' && each.status === 'True');
  return ready && metadata.deletionTimestamp === undefined;
}

function greetingOf({ metadata, spec }: KubeObject): string {
  const { services } = spec as { services: { env: { name: string; value?: string }[] }[] };
  return `${metadata.name} ${services[0]?.env.find(({ name }) => name === 'GREETING')?.value}`;
}

async function childrenOf({ client }: ClusterPlatform, namespace: string) {
  const children: { type: ResourceType; object: KubeObject }[] = [];
  for (const type of [SERVICE, INGRESS, NETWORK_POLICY]) {
    const { items } = await client.list(type, { namespace, labelSelector: 'berth.dev/deployment' });
    children.push(...items.map((object) => ({ type, object: { ...object, kind: type.kind } })));
  }
  return children;
}
