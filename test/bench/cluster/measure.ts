import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@berth/kube/client/client';
import { createKubeClient } from '@berth/kube/client/http-client';
import type { ResourceType } from '@berth/kube/schema/object';
import { CONFIG_MAP, NETWORK_POLICY } from '@berth/kube/schema/resources';
import { installDefinitions } from '@berth/server/kubernetes/definitions';
import type { Built } from '../../cluster/build.ts';
import { type ControlPlane, startControlPlane, userOf } from './control-plane.ts';
import { type OperatorProcess, type OperatorProgram, startOperatorProcess } from './operator-process.ts';
import { type Requests, requestsOf } from './requests.ts';
import { CHILD_KINDS, countOf, IDLE_KINDS, makeDeployments, makeNamespaces } from './user-deployments.ts';

export interface RateResult {
  /** From the first create to the last child. */
  milliseconds: number;
  memory: { peak: number; after: number };
  /** Of the operator, and of the control plane that it keeps busy. */
  processorSeconds: { operator: number; plane: number };
  requests: Requests;
}

export interface IdleResult {
  memory: { peak: number; after: number };
  /** While nothing happens. */
  requests: Requests;
  minutes: number;
  /** From the create of one more to its first child, and to its last. */
  firstChildMs: number;
  lastChildMs: number;
}

export interface Bench {
  built: Built;
  /** Where operators write their logs. */
  logs: string;
  say: (sentence: string) => void;
}

const POLL_MS = 200;
const SETTLE_MS = 30_000;
/** So little of its processor in so long is what a timer or two take. */
const QUIET_MS = 20_000;
const QUIET_SECONDS = 0.5;
const LONGEST_MS = 20 * 60_000;

/** So many, made at once, on a control plane of their own. */
export async function measureRate(bench: Bench, program: OperatorProgram, count: number): Promise<RateResult> {
  return withOperator(bench, { program, count }, async ({ client, operator, plane, before }) => {
    const since = new Date();
    const planeBefore = plane.processorSeconds();
    const started = performance.now();
    await Promise.all([
      makeDeployments(client, { count, desired: 'running' }),
      untilMade(client, { kinds: CHILD_KINDS, before, count }),
    ]);
    const milliseconds = performance.now() - started;
    bench.say(`${program.name}: ${count} in ${(milliseconds / 1000).toFixed(1)} s`);
    await delay(SETTLE_MS);
    const { now: after, peak } = operator.memory();
    const requests = await requestsOf(plane.auditLog, { user: userOf(program.name), since });
    const planeSeconds = plane.processorSeconds() - planeBefore;
    const processorSeconds = { operator: operator.processorSeconds(), plane: planeSeconds };
    return { milliseconds, memory: { peak, after }, processorSeconds, requests };
  });
}

/** So many that are stopped: nothing happens, then one more comes. */
export async function measureIdle(
  bench: Bench,
  program: OperatorProgram,
  { count, minutes }: { count: number; minutes: number },
): Promise<IdleResult> {
  return withOperator(bench, { program, count: count + 1 }, async ({ client, operator, plane, before }) => {
    await Promise.all([
      makeDeployments(client, { count, desired: 'stopped' }),
      untilMade(client, { kinds: IDLE_KINDS, before, count }),
    ]);
    bench.say(`${program.name}: ${count} are there`);
    await untilQuiet(operator);
    bench.say(`${program.name}: and it has said so of each`);
    const since = new Date();
    await delay(minutes * 60_000);
    const requests = await requestsOf(plane.auditLog, { user: userOf(program.name), since });
    const { now: after, peak } = operator.memory();
    const started = performance.now();
    await makeDeployments(client, { from: count, count: 1, desired: 'running' });
    const first = untilMade(client, { kinds: [NETWORK_POLICY], before, count: count + 1, pollMs: 10 });
    const last = untilMade(client, { kinds: IDLE_KINDS, before, count: count + 1, pollMs: 10 });
    const since1 = () => performance.now() - started;
    const [firstChildMs, lastChildMs] = await Promise.all([first.then(since1), last.then(since1)]);
    return { memory: { peak, after }, requests, minutes, firstChildMs, lastChildMs };
  });
}

interface Scene {
  client: KubeClient;
  operator: OperatorProcess;
  plane: ControlPlane;
  /** How many of each kind were there before any was made. */
  before: Map<ResourceType, number>;
}

async function withOperator<T>(
  bench: Bench,
  { program, count }: { program: OperatorProgram; count: number },
  work: (scene: Scene) => Promise<T>,
): Promise<T> {
  const plane = await startControlPlane(bench.built);
  const client = createKubeClient(plane.config);
  try {
    await installDefinitions(client, { externalSecrets: 'install-if-missing' });
    await makeNamespaces(client, count);
    const before = await quiet(client);
    const kubeconfig = await plane.accountFile(program.name);
    const operator = startOperatorProcess(program, { kubeconfig, log: join(bench.logs, `${program.name}.log`) });
    try {
      await delay(5000);
      return await work({ client, operator, plane, before });
    } finally {
      await operator.stop();
    }
  } finally {
    await client.close();
    await plane.stop();
  }
}

/** Children are there before all is said of them. */
async function untilQuiet(operator: OperatorProcess): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  for (let before = operator.processorSeconds(); ; ) {
    await delay(QUIET_MS);
    const now = operator.processorSeconds();
    if (now - before < QUIET_SECONDS) return;
    if (performance.now() > deadline) throw new Error('the operator never became quiet');
    before = now;
  }
}

/** Each namespace gets a config map of its own a moment after it is made. */
async function quiet(client: KubeClient): Promise<Map<ResourceType, number>> {
  for (let known = -1; ; ) {
    const now = await countOf(client, CONFIG_MAP);
    if (now === known) break;
    known = now;
    await delay(3000);
  }
  return new Map(await Promise.all(CHILD_KINDS.map(async (type) => [type, await countOf(client, type)] as const)));
}

async function untilMade(
  client: KubeClient,
  wanted: { kinds: readonly ResourceType[]; before: Map<ResourceType, number>; count: number; pollMs?: number },
): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  const { kinds, before, count, pollMs = POLL_MS } = wanted;
  for (const type of kinds) {
    while ((await countOf(client, type)) < (before.get(type) ?? 0) + count) {
      if (performance.now() > deadline) throw new Error(`not all ${type.plural} were made in time`);
      await delay(pollMs);
    }
  }
}
