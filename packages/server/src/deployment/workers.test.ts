import { isDeepStrictEqual } from 'node:util';
import { systemClock as systemTimer } from '@berth/kube/client/clock';
import { EVENT } from '@berth/kube/schema/resources';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import { createLeadership } from './leadership.ts';
import { type ClusterScene, DELIVERY, startClusterScene, until } from './testing/cluster-scene.ts';
import { type DeploymentWorkers, startDeploymentWorkers } from './workers.ts';

let scene: ClusterScene;
let running: DeploymentWorkers[];
beforeEach(async () => {
  scene = await startClusterScene();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()));
  await scene.end();
});

const start = (): DeploymentWorkers => {
  const { client, logger, deps } = scene;
  const workers = startDeploymentWorkers({ ...deps, client, logger, delivery: DELIVERY, metrics: new Registry() });
  running.push(workers);
  return workers;
};
const removed = async (name: string) => !(await scene.shown(name)) && !(await scene.resource(name));
const granted = async (name: string) => (await scene.resource(name))?.status?.grantedHosts?.length === 1;

describe('the workers of a server', () => {
  it('take a deployment to the cluster and back, on two servers of which one observes', async () => {
    const [one, two] = [start(), start()];
    await Promise.all([one.ready, two.ready]);
    const made = await scene.create({ name: 'life', template: 'plain' });
    await until('slot and host are granted', () => granted('life'));
    await scene.operatorSays('life', { phase: 'Running' });
    await until('the row says Running', async () => (await scene.shown('life'))?.phase === 'Running');
    expect([one.healthy(), two.healthy()]).toEqual([true, true]);
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${made.id}`);
    await until('everything is gone', () => removed('life'));
  });

  it('do at start what was left undone: outbox, deletions, lost resources', async () => {
    await scene.create({ name: 'undone', template: 'plain' });
    const going = await scene.create({ name: 'going', template: 'plain' });
    await scene.create({ name: 'lost', template: 'plain' });
    for (const name of ['undone', 'going', 'lost']) await scene.settle(name);
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${going.id}`);
    const at = { name: 'lost', namespace: scene.owner.namespace };
    await scene.client.patch(USER_DEPLOYMENT, at, { type: 'merge', body: { metadata: { finalizers: [] } } });
    await scene.client.delete(USER_DEPLOYMENT, at);
    await scene.create({ name: 'queued', template: 'plain' });
    start();
    await until('the queued one is applied', () => granted('queued'));
    await until('the deleted one is gone', () => removed('going'));
    await until('the lost one is back', () => granted('lost'));
  });

  it('pass on to the next server when the first one stops', async () => {
    const first = start();
    await first.ready;
    await scene.create({ name: 'first', template: 'plain' });
    await until('the first observes', () => granted('first'));
    const second = start();
    await second.ready;
    await first.stop();
    running = [second];
    await scene.create({ name: 'second', template: 'plain' });
    await until('the second observes', () => granted('second'));
  });

  it('case 16: end at the last of 40 quick edits from both sides, and are quiet then', async () => {
    start();
    const made = await scene.create({ name: 'busy', template: 'plain' });
    await until('it is there', () => granted('busy'));
    for (let edit = 1; edit <= 20; edit++) {
      await scene.kubectlEdit('busy', { displayName: `kubectl ${edit}` });
      const body = { values: { title: `API ${edit}` } };
      await scene.send(scene.owner, 'PATCH', `/api/deployments/${made.id}`, { body });
    }
    const state = async () => {
      const resource = await scene.resource('busy');
      const [row] = await scene.database.query<{ spec: object; revision: number }>(
        'select spec, revision from deployments where id = $1',
        [made.id],
      );
      return { resource, row };
    };
    await until('row, resource and its status say the same', async () => {
      const { resource, row } = await state();
      const { generation, annotations } = resource?.metadata ?? {};
      const isSaid = resource?.status?.conditions?.every((each) => each.observedGeneration === generation);
      const revision = Number(annotations?.['berth.dev/revision']);
      return isSaid && revision === row?.revision && isDeepStrictEqual(resource?.spec, row.spec);
    });
    const before = (await state()).resource?.metadata.resourceVersion;
    await scene.settle('busy');
    expect((await state()).resource?.metadata.resourceVersion).toBe(before);
    expect((await state()).resource?.spec.services[0]?.env?.[0]?.value).toBe('API 20');
  });

  it('tell events of pods once, and none of other namespaces', async () => {
    await scene.create({ name: 'eventful', template: 'plain' });
    await scene.settle('eventful');
    start();
    const { namespace } = scene.owner;
    const event = (name: string, about: string, where: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: where },
      involvedObject: { kind: 'Pod', name: about, namespace: where },
      type: 'Warning',
      reason: 'BackOff',
      message: 'restarting failed container',
    });
    await scene.client.create(EVENT, event('e1', 'eventful-web-5d9f-abcde', namespace));
    await scene.client.create(EVENT, event('e2', 'unknown-web-5d9f-abcde', namespace));
    await scene.client.create(EVENT, event('e3', 'eventful-web-5d9f-abcde', 'team'));
    const told = () => scene.database.query("select service, message, level from activity where kind = 'event'");
    await until('the event is told', async () => (await told()).length > 0);
    // Another observer sees the same events anew.
    await running[0]?.stop();
    running = [start()];
    await scene.client.create(EVENT, event('e4', 'eventful-web-5d9f-fghij', namespace));
    await until('the next event is told', async () => (await told()).length > 1);
    expect(await told()).toEqual([
      { service: 'web', message: 'BackOff: restarting failed container', level: 'warning' },
      { service: 'web', message: 'BackOff: restarting failed container', level: 'warning' },
    ]);
  });
});

describe('leadership', () => {
  it('is held by one, and by another within moments after the first has lost its connection', async () => {
    const log: string[] = [];
    const lead = (name: string) => async (signal: AbortSignal) => {
      log.push(`${name} leads`);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      log.push(`${name} ends`);
    };
    const { database, logger } = scene;
    const common = { database, logger, timer: systemTimer };
    const [a, b] = [createLeadership({ ...common, lead: lead('a') }), createLeadership({ ...common, lead: lead('b') })];
    a.start();
    await until('a leads', async () => a.leading());
    b.start();
    await b.settled;
    expect(b.leading()).toBe(false);
    await database.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'");
    await until('the first has noticed', async () => log.includes('a ends'));
    await until('exactly one leads', async () => a.leading() !== b.leading());
    await Promise.all([a.stop(), b.stop()]);
  });
});
