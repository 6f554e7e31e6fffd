import type { CurrentUse, MetricEvent, Metrics } from '@berth/core/metrics';
import type { KubeClient } from '@berth/kube/client/client';
import { createFakeClock } from '@berth/kube/client/testing/fake-clock';
import type { PodMetrics } from '@berth/kube/schema/kinds/metrics';
import { KubeError } from '@berth/kube/schema/status';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Scene, startScene } from '../deployment/testing/scene.ts';
import { listenForTests, openEvents, type SseClient } from '../live/testing/sse-client.ts';
import { deleteOldSamples, insertSamples, rollUp } from './sample-repository.ts';
import { createSampler } from './sampler.ts';

/** A cluster in which pods use what a test says, or which does not measure. */
let used: PodMetrics[] | undefined;
const client = {
  async list() {
    if (!used) throw new KubeError(404, 'NotFound', 'the server could not find the requested resource');
    return { apiVersion: 'v1', kind: 'List', metadata: {}, items: used };
  },
} as unknown as KubeClient;

let scene: Scene;
let port: number;
beforeAll(async () => {
  scene = await startScene({ client });
  port = await listenForTests(scene.app.app);
});
afterAll(() => scene.end());
beforeEach(async () => {
  used = [];
  await scene.database.execute('delete from metric_samples');
});

const podMetrics = (deployment: string, usage: [string, string], timestamp = new Date().toISOString()): PodMetrics => ({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  metadata: {
    name: `${deployment}-web-${Math.random()}`,
    namespace: scene.owner.namespace,
    labels: { 'berth.dev/deployment': deployment, 'berth.dev/service': 'web' },
  },
  timestamp,
  window: '10s',
  containers: [{ name: 'web', usage: { cpu: usage[0], memory: usage[1] } }],
});
const use = (deployment: string, cpu: number, memory = 1000) => ({
  namespace: scene.owner.namespace,
  deployment,
  service: 'web',
  cpu,
  memory,
});
/** A whole step some time ago. */
const ago = (seconds: number, step = 10) =>
  new Date(Math.floor(Date.now() / 1000 / step) * step * 1000 - seconds * 1000);
const measured = (id: string, range: string) =>
  scene
    .send(scene.owner, 'GET', `/api/deployments/${id}/metrics?range=${range}`)
    .then((answer) => answer.json<Metrics>());

describe('measurements', () => {
  it('are made every ten seconds of services and public hosts, in one statement a round', async () => {
    const made = await scene.create({ name: 'sampled', template: 'plain' });
    const quiet = await scene.create({ name: 'quiet', template: 'plain' });
    const timer = createFakeClock();
    const statements: string[] = [];
    const database: typeof scene.database = {
      ...scene.database,
      async execute(text, values) {
        const rows = await scene.database.execute(text, values);
        statements.push(text);
        return rows;
      },
    };
    let answered = 0;
    const readRouterMetrics = async () => {
      answered += 50;
      return [{ from: 'router', text: `router_requests_total{host="${made.host}",class="2xx"} ${answered}` }];
    };
    const stop = new AbortController();
    const timestamp = new Date(timer.now()).toISOString();
    used = [podMetrics('sampled', ['250m', '64Mi'], timestamp), podMetrics('sampled', ['0.5', '1Ki'], timestamp)];
    const running = createSampler({ database, client, readRouterMetrics, logger: scene.logger, timer }).run(
      stop.signal,
    );
    await settled(() => statements.length === 3);
    statements.length = 0;
    await timer.advance(10_000);
    await settled(() => statements.length === 1);
    // Now the router's counters are known from before.
    await timer.advance(10_000);
    await settled(() => statements.length === 2);
    stop.abort();
    await running;
    const rows = await scene.database.query(
      'select deployment_id, service, cpu, memory, requests from metric_samples where deployment_id = any($1) order by at, deployment_id = $2, service desc',
      [[made.id, quiet.id], quiet.id],
    );
    const web = { deploymentId: made.id, service: 'web', cpu: 0.75, memory: 64 * 2 ** 20 + 1024 };
    expect(rows).toMatchObject([
      web,
      web,
      { deploymentId: made.id, service: '', requests: 5 },
      { deploymentId: quiet.id, service: '', requests: 0 },
    ]);
  });

  it('are gaps and words where nothing measures, never zeros', async () => {
    const made = await scene.create({ name: 'unmeasured', template: 'plain' });
    used = undefined;
    const metrics = await measured(made.id, '1h');
    expect(new Set([...metrics.requests, ...metrics.errors, ...(metrics.services[0]?.cpu ?? [])])).toEqual(
      new Set([null]),
    );
    expect(metrics.notice).toContain('metrics.k8s.io');
    expect(metrics.notice).toContain('BERTH_ROUTER_METRICS_URL');
    const now = await scene.send(scene.owner, 'GET', `/api/metrics?team=${scene.owner.teamId}`);
    expect(now.json<{ items: CurrentUse[] }>().items.find(({ name }) => name === 'unmeasured')).toEqual({
      deployment: made.id,
      name: 'unmeasured',
      service: 'web',
      pods: 0,
    });
  });

  it('become coarser with time, also when nobody was there to do it, and then go', async () => {
    const made = await scene.create({ name: 'coarse', template: 'plain' });
    const { database } = scene;
    for (let minute = 5; minute >= 3; minute--) {
      for (const second of [0, 10, 20, 30, 40, 50]) {
        const at = new Date(ago(minute * 60, 60).getTime() + second * 1000);
        await insertSamples(database, { at, use: [use('coarse', minute + second / 100)], rates: undefined });
      }
    }
    const now = new Date();
    for (const step of [60, 300, 1800]) await rollUp(database, step, now);
    await rollUp(database, 60, now);
    const metrics = await measured(made.id, '6h');
    const known = metrics.services[0]?.cpu.filter((each) => each !== null);
    expect(known).toEqual([5.25, 4.25, 3.25]);
    // The steps that are not over yet are there too.
    expect((await measured(made.id, '24h')).services[0]?.cpu.some((each) => each !== null)).toBe(true);
    expect((await measured(made.id, '7d')).services[0]?.cpu.some((each) => each !== null)).toBe(true);
    await deleteOldSamples(database, new Date(now.getTime() + 2 * 3600_000));
    const steps = await database.query<{ step: number }>(
      'select distinct step from metric_samples where deployment_id = $1 order by step',
      [made.id],
    );
    expect(steps.map(({ step }) => step)).not.toContain(10);
    expect(steps.map(({ step }) => step)).toContain(60);
  });

  it('are streamed as they are made, and go on where they were', async () => {
    const made = await scene.create({ name: 'streamed', template: 'plain' });
    const { database } = scene;
    const open = (lastEventId?: number): Promise<SseClient<MetricEvent>> =>
      openEvents(port, { path: `/api/deployments/${made.id}/metrics/stream`, who: scene.owner, lastEventId });
    await insertSamples(database, { at: ago(20), use: [use('streamed', 1)], rates: undefined });
    const stream = await open();
    const first = await stream.next(({ type }) => type === 'point');
    await insertSamples(database, { at: ago(10), use: [use('streamed', 2)], rates: [] });
    await stream.next((event) => event.type === 'point' && event.point.services.web?.cpu === 2);
    expect(stream.messages.at(-1)?.event).toMatchObject({ point: { requests: 0, errors: 0 } });
    stream.drop();
    await insertSamples(database, { at: ago(0), use: [use('streamed', 3)], rates: undefined });
    const again = await open(first.id);
    await again.next((event) => event.type === 'point' && event.point.services.web?.cpu === 3);
    expect(
      again.messages.map(({ event }) => (event.type === 'point' ? event.point.services.web?.cpu : event.type)),
    ).toEqual(['resumed', 2, 3]);
    again.drop();
    const now = await scene.send(scene.owner, 'GET', `/api/metrics?team=${scene.owner.teamId}`);
    expect(now.json<{ items: CurrentUse[] }>().items.find(({ name }) => name === 'streamed')).toMatchObject({
      service: 'web',
      cpu: 3,
      memory: 1000,
    });
  });
});

async function settled(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('this did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
