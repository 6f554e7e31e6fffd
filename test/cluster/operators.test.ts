import { setTimeout as wait } from 'node:timers/promises';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import { DEPLOYMENT, NAMESPACE } from '@berth/kube/schema/resources';
import { installDefinitions } from '@berth/server/kubernetes/definitions';
import { USER_DEPLOYMENT } from '@berth/server/kubernetes/resource-types';
import { CHILD_TYPES } from '@berth/server/operator/caches';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditEvent, readAudit } from './audit.ts';
import { type ControlPlane, startControlPlane } from './operators/control-plane.ts';
import {
  type At,
  admit,
  allChildren,
  disorder,
  find,
  label,
  makeTeam,
  runsVersion,
  wantVersion,
} from './operators/deployments.ts';
import { leaderOf, makeOperator, type OperatorProcess, prepareOperators } from './operators/operator-process.ts';
import { type PicturedNode, startPicturedNode } from './operators/pictured-node.ts';
import { described, isRefused, writesOf } from './operators/writes.ts';
import { until } from './until.ts';

/**
 * Two operators of one installation on a real control plane, and everything that can happen to the one that leads. What counts is what
 * the apiserver did: its audit log says whose write took effect and when.
 *
 * BERTH_TEST_FREEZE_SECONDS and BERTH_TEST_OUTAGE_SECONDS say for how long; the issue of each is the same however long it is, as long
 * as a Lease runs out in it.
 */
const FREEZE_MS = seconds('BERTH_TEST_FREEZE_SECONDS', 60);
const OUTAGE_MS = seconds('BERTH_TEST_OUTAGE_SECONDS', 120);
const QUIET_MS = seconds('BERTH_TEST_QUIET_SECONDS', 60);
const COUNT = Number(process.env.BERTH_TEST_DEPLOYMENTS ?? 24);
/** An apply of a Deployment is larger, and whatever is read is smaller. */
const A_DEPLOYMENT_BYTES = 2_500;
const REPAIRED_WITHIN_MS = 5_000;
const SETTLED_WITHIN_MS = 180_000;

let plane: ControlPlane;
let node: PicturedNode;
let operators: OperatorProcess[];
let deployments: At[] = [];
let version = 1;

beforeAll(async () => {
  plane = await startControlPlane();
  await installDefinitions(plane.client, { externalSecrets: 'install-if-missing' });
  node = await startPicturedNode(plane.client);
  await prepareOperators(plane);
  operators = await Promise.all(['a', 'b'].map((name) => makeOperator(plane, name)));
  for (const operator of operators) operator.start();
  const namespaces = await Promise.all(['aaaa', 'bbbb'].map((team) => makeTeam(plane.client, team)));
  deployments = Array.from({ length: COUNT }, (_, index) => ({
    name: `shop-${index}`,
    namespace: namespaces[index % namespaces.length]!,
  }));
  for (const at of deployments) await make(at);
  report('all run for the first time', await timeUntilAllRun());
}, 400_000);

afterAll(async () => {
  for (const operator of operators ?? []) {
    await operator.end('SIGTERM');
    operator.line.end();
  }
  await node?.stop();
  await plane?.end();
}, 60_000);

test('nothing is written for what does not change', { timeout: QUIET_MS + 60_000 }, async () => {
  await wait(3_000);
  const since = new Date();
  await wait(QUIET_MS);
  expect(described(await writes({ since }))).toEqual([]);
});

test('ten children that were deleted by hand are back within five seconds', { timeout: 60_000 }, async () => {
  const children = (await allChildren(plane.client)).filter(({ kind }) => kind !== 'PersistentVolumeClaim');
  const chosen = children.filter((_, index) => index % Math.floor(children.length / 10) === 0).slice(0, 10);
  expect(new Set(chosen.map(({ kind }) => kind)).size).toBeGreaterThan(3);
  const since = performance.now();
  await Promise.all(chosen.map((child) => plane.client.delete(typeOf(child), address(child))));
  const isBack = async (child: KubeObject) => {
    const { items } = await plane.client.list(typeOf(child), { namespace: child.metadata.namespace ?? '' });
    return items.some(({ metadata }) => metadata.name === child.metadata.name && metadata.uid !== child.metadata.uid);
  };
  const back = await until(async () => (await Promise.all(chosen.map(isBack))).every(Boolean), REPAIRED_WITHIN_MS);
  report('ten deleted children are back', performance.now() - since);
  expect(back).toBe(true);
  await timeUntilAllRun();
});

test('the leader is killed with signal 9: the other goes on, and nothing is there twice', {
  timeout: SETTLED_WITHIN_MS + 30_000,
}, async () => {
  const { leader, other } = await roles();
  const editing = editAll();
  await wait(300);
  await leader.end('SIGKILL');
  await editing;
  report('after kill -9 of the leader all is as wanted', await timeUntilAllRun());
  expect(await leading()).toBe(other);
  leader.start();
  await assertOrder();
});

test('the leader is frozen and goes on: none of its late writes takes effect', {
  timeout: FREEZE_MS + 2 * SETTLED_WITHIN_MS,
}, async () => {
  const { leader, other } = await roles();
  const since = performance.now();
  const editing = editAll();
  // In the middle of its work.
  await wait(400);
  leader.signal('SIGSTOP');
  await editing;
  expect(await until(async () => (await leading()) === other, 60_000)).toBe(true);
  report('another leads after the freeze began', performance.now() - since);
  // What the frozen one has in hand is outdated by all that can outdate it: edited, deleted, deleted and made anew.
  const [gone, again] = [deployments.at(-1)!, deployments.at(-2)!];
  deployments = deployments.slice(0, -1);
  for (const at of [gone, again]) await plane.client.delete(USER_DEPLOYMENT, at);
  await editAll(deployments.filter((at) => at !== again));
  for (const at of [gone, again]) {
    expect(await until(async () => (await find(plane.client, at)) === undefined, SETTLED_WITHIN_MS)).toBe(true);
  }
  await make(again);
  await timeUntilAllRun();
  await wait(Math.max(0, FREEZE_MS - (performance.now() - since)));
  expect(await leading()).toBe(other);
  const thawed = new Date();
  leader.signal('SIGCONT');
  await wait(12_000);
  const late = await writes({ by: [leader], since: thawed });
  report(`late writes of the one that was frozen: ${late.length}, of which refused ${late.filter(isRefused).length}`);
  expect(described(late.filter((event) => !isRefused(event)))).toEqual([]);
  expect(await leading()).toBe(other);
  await assertOrder();
});

test('writes of the leader are held up on their way until another leads: none of them changes anything', {
  timeout: 3 * SETTLED_WITHIN_MS,
}, async () => {
  const { leader, other } = await roles();
  const before = new Date();
  const held = leader.line.holdFrom(A_DEPLOYMENT_BYTES);
  const editing = editAll();
  await held;
  // All that it does at a time is on its way by now.
  await wait(1_000);
  leader.signal('SIGSTOP');
  await editing;
  expect(await until(async () => (await leading()) === other, 60_000)).toBe(true);
  await editAll();
  await timeUntilAllRun();
  const released = new Date();
  leader.line.release();
  await wait(2_000);
  leader.signal('SIGCONT');
  await wait(10_000);
  const late = (await writes({ by: [leader], since: before })).filter(
    ({ stageTimestamp }) => Date.parse(stageTimestamp) >= released.getTime(),
  );
  const made = late.filter(({ responseStatus }) => responseStatus?.code === 201);
  const refused = late.filter(isRefused);
  report(`late writes that were held up: ${late.length}; refused ${refused.length}, made ${made.length}`);
  // Otherwise nothing was tried.
  expect(refused.length).toBeGreaterThan(0);
  // What nobody had made may come into being, and whoever leads takes it away again: there is no asking for more.
  expect(described(late.filter((event) => !refused.includes(event) && !made.includes(event)))).toEqual([]);
  await assertOrder();
});

test('the apiserver is gone for a while: everything is caught up, without a flood', {
  timeout: OUTAGE_MS + SETTLED_WITHIN_MS + 60_000,
}, async () => {
  await plane.endApiServer();
  await wait(OUTAGE_MS);
  const back = new Date();
  await plane.startApiServer();
  await editAll();
  report('after the apiserver was gone all is as wanted', await timeUntilAllRun());
  await assertNoFlood(back);
  await assertOrder();
});

test('the apiserver takes requests and answers none: the leader stops by itself, and comes back', {
  timeout: OUTAGE_MS + SETTLED_WITHIN_MS + 60_000,
}, async () => {
  const { leader } = await roles();
  const ends = async () => (await leader.log()).split('"leadership ended"').length;
  const before = await ends();
  plane.freezeApiServer();
  expect(await until(async () => (await ends()) > before, 20_000)).toBe(true);
  await wait(OUTAGE_MS);
  const back = new Date();
  plane.thawApiServer();
  await editAll();
  report('after the apiserver was silent all is as wanted', await timeUntilAllRun());
  await assertNoFlood(back);
  await assertOrder();
});

test('case 15: what is deleted while no operator runs is gone soon after one does, with its namespace or without', {
  timeout: 2 * SETTLED_WITHIN_MS,
}, async () => {
  const namespace = await makeTeam(plane.client, 'cccc');
  const doomed = { name: 'shop', namespace };
  const one = deployments[0]!;
  deployments.push(doomed);
  await make(doomed);
  await timeUntilAllRun();
  for (const operator of operators) await operator.end('SIGTERM');
  deployments = deployments.filter((at) => at !== doomed && at !== one);
  await plane.client.delete(USER_DEPLOYMENT, one);
  await plane.client.delete(NAMESPACE, { name: namespace });
  // By hand, before anybody who should: what is not there is as good as deleted.
  await plane.client.delete(DEPLOYMENT, { name: `${one.name}-web`, namespace: one.namespace });
  for (const operator of operators) operator.start();
  const since = performance.now();
  const namespaces = async () => (await plane.client.list(NAMESPACE)).items.map(({ metadata }) => metadata.name);
  const gone = async () => (await find(plane.client, one)) === undefined && !(await namespaces()).includes(namespace);
  expect(await until(gone, SETTLED_WITHIN_MS)).toBe(true);
  report('what was deleted meanwhile is gone', performance.now() - since);
  await assertOrder();
});

/** Every child is there once and nothing else is: files of the version before go with its last pod. */
async function assertOrder(): Promise<void> {
  let found: string[] = [];
  await until(async () => {
    found = await disorder(plane.client, deployments);
    return found.length === 0;
  }, 30_000);
  expect(found).toEqual([]);
}

async function make(at: At): Promise<void> {
  await wantVersion(plane.client, at, version);
  await admit(plane.client, at);
}

/** Everybody wants another version, twenty times a second. */
async function editAll(of: readonly At[] = deployments): Promise<void> {
  version++;
  for (const at of of) {
    await wantVersion(plane.client, at, version);
    await wait(50);
  }
}

async function timeUntilAllRun(): Promise<number> {
  const since = performance.now();
  let waitingFor = deployments;
  const all = await until(async () => {
    const run = await Promise.all(waitingFor.map((at) => runsVersion(plane.client, at, version).catch(() => false)));
    waitingFor = waitingFor.filter((_, index) => !run[index]);
    if (waitingFor.length > 0) await wait(200);
    return waitingFor.length === 0;
  }, SETTLED_WITHIN_MS);
  if (!all) {
    const states = await Promise.all(waitingFor.map((at) => find(plane.client, at)));
    throw new Error(
      `not as wanted: ${JSON.stringify(
        states.map((state) => state?.status),
        undefined,
        1,
      )}`,
    );
  }
  return performance.now() - since;
}

/** Who holds the Lease: whoever began to lead has said under which name. */
async function leading(): Promise<OperatorProcess | undefined> {
  const holder = await leaderOf(plane.client);
  if (holder === '') return undefined;
  const logs = await Promise.all(operators.map((operator) => operator.log()));
  return operators.find((_, index) => logs[index]!.includes(`"identity":"${holder}","msg":"leadership began"`));
}

async function roles(): Promise<{ leader: OperatorProcess; other: OperatorProcess }> {
  // Both are warm: a replica that has just been started holds nothing yet.
  for (const operator of operators) {
    const warm = async () => (await operator.log()).split('cache synced').length > 10 || operator === (await leading());
    expect(await until(warm, 60_000)).toBe(true);
  }
  expect(await until(async () => (await leading()) !== undefined, 60_000)).toBe(true);
  const leader = (await leading())!;
  return { leader, other: operators.find((operator) => operator !== leader)! };
}

function writes({ by = operators, since }: { by?: readonly OperatorProcess[]; since: Date }): Promise<AuditEvent[]> {
  return writesOf(plane.file.auditLog, by, since);
}

/** On return each collection is listed once or twice by each operator, and what changed is read: not one request for everything there is. */
async function assertNoFlood(since: Date): Promise<void> {
  const events = await Promise.all(operators.map(({ user }) => readAudit(plane.file.auditLog, { user, since })));
  const lists = events.flat().filter(({ verb, stage }) => verb === 'list' && stage === 'ResponseComplete');
  report(`lists after the return: ${lists.length}`);
  expect(lists.length).toBeLessThanOrEqual(operators.length * 20 * 3);
}

function typeOf(child: KubeObject): ResourceType {
  const type = CHILD_TYPES.find(({ kind }) => kind === child.kind);
  if (!type) throw new Error(`${label(child)} is of no kind of child`);
  return type;
}

function address({ metadata }: KubeObject): At {
  return { name: metadata.name, namespace: metadata.namespace ?? '' };
}

/** Recovery times are for people to read. */
function report(what: string, milliseconds?: number): void {
  console.log(milliseconds === undefined ? what : `${what}: ${(milliseconds / 1000).toFixed(1)} s`);
}

function seconds(name: string, otherwise: number): number {
  return Number(process.env[name] ?? otherwise) * 1000;
}
