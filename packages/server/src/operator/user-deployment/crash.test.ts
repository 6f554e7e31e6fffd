import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guestbookSpec } from '../testing/fixtures.ts';
import {
  type OperatorScene,
  type RunningOperator,
  type Subject,
  startOperatorScene,
  subjectOf,
} from '../testing/operator-scene.ts';
import { until } from '../testing/until.ts';

/** The operator dies after its n-th write, for each n there is; the next one comes to the same end. */
let scene: OperatorScene;
beforeAll(async () => {
  scene = await startOperatorScene();
});
afterAll(() => scene.end());

const CHILDREN = [
  'Deployment/shop-database',
  'Deployment/shop-web',
  'ExternalSecret/shop-database',
  'Ingress/shop',
  'NetworkPolicy/shop',
  'PersistentVolumeClaim/shop-database-data',
  'Service/shop-database',
  'Service/shop-web',
];

/** Plays the platform and the node until it runs. The world goes on whether an operator lives or not. */
async function untilRunning(subject: Subject, isOver: () => boolean = () => false): Promise<void> {
  await until('Running', async () => {
    await subject.runPods();
    return isOver() || (await subject.read())?.status?.phase === 'Running';
  });
}

async function make(): Promise<Subject> {
  const subject = subjectOf(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
  await subject.create(guestbookSpec());
  await subject.admit(['shop.localhost']);
  await subject.deliver('database', 'v1', { password: 'a' });
  return subject;
}

const isDead = (operator: RunningOperator, after: number) => () => operator.client.writes.length >= after;

/** More than any way takes; a run that is over earlier ends the loop. */
const MOST_WRITES = 60;

describe('killed after any write', () => {
  it('while a deployment is made: the next operator brings it to Running, with each child once', async () => {
    let deaths = 0;
    for (let after = 1; after <= MOST_WRITES; after++) {
      const first = await scene.startOperator({ diesAfter: after });
      const subject = await make();
      await untilRunning(subject, isDead(first, after));
      const died = isDead(first, after)();
      await first.stop();
      if (!died) break;
      deaths++;
      const second = await scene.startOperator();
      await untilRunning(subject);
      expect(await subject.children()).toEqual(CHILDREN);
      await second.stop();
      await subject.delete();
    }
    expect(deaths).toBeGreaterThanOrEqual(CHILDREN.length + 2);
    expect(deaths).toBeLessThan(MOST_WRITES);
  }, 60_000);

  it('while it is deleted: the next operator leaves nothing', async () => {
    let deaths = 0;
    for (let after = 1; after <= MOST_WRITES; after++) {
      const maker = await scene.startOperator();
      const subject = await make();
      await untilRunning(subject);
      await maker.stop();
      await subject.delete();
      const first = await scene.startOperator({ diesAfter: after });
      const isGone = async () => (await subject.read()) === undefined;
      await until('death or the end', async () => isDead(first, after)() || (await isGone()));
      const died = isDead(first, after)();
      await first.stop();
      if (!died) break;
      deaths++;
      const second = await scene.startOperator();
      await until('the end', isGone);
      expect(await subject.children()).toEqual([]);
      await second.stop();
    }
    expect(deaths).toBeGreaterThanOrEqual(CHILDREN.length);
  }, 60_000);
});
