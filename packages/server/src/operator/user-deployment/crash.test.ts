import { type Clock, systemClock } from '@berth/kube/client/clock';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  'NetworkPolicy/shop-web--ea6c29266f',
  'PersistentVolumeClaim/shop-database-data',
  'Service/shop-database',
  'Service/shop-web',
];

/** Waits are a tenth as long: what is tested is the order of writes, not the pauses between them. */
const FAST: Clock = {
  ...systemClock,
  after: (milliseconds, callback) => systemClock.after(milliseconds / 10, callback),
};

/** More than any way takes; a run that is over earlier ends the loop. */
const MOST_WRITES = 60;

const isDead = (operator: RunningOperator, after: number) => operator.client.writes.length >= after;

/** One operator that dies, then one that does not. Says whether the first died before it was done. */
async function killAndFinish(after: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const first = await scene.startOperator({ diesAfter: after, clock: FAST });
  await until('death or the end', async () => (await isDone()) || isDead(first, after));
  const died = isDead(first, after);
  await first.stop();
  const second = await scene.startOperator({ clock: FAST });
  await until('the end', isDone);
  await second.stop();
  return died;
}

async function killMaking(after: number): Promise<{ subject: Subject; died: boolean }> {
  const subject = subjectOf(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
  await subject.create(guestbookSpec());
  await subject.admit(['shop.localhost']);
  await subject.deliver('database', 'v1', { password: 'a' });
  const died = await killAndFinish(after, async () => {
    await subject.runPods();
    return (await subject.read())?.status?.phase === 'Running';
  });
  expect(await subject.children()).toEqual(CHILDREN);
  return { subject, died };
}

async function killDeletion(after: number, subject: Subject): Promise<boolean> {
  await subject.delete();
  const died = await killAndFinish(after, async () => {
    await subject.releaseClaims();
    return (await subject.read()) === undefined;
  });
  expect(await subject.children()).toEqual([]);
  return died;
}

it('killed after any write, of the making as of the deletion: the next operator comes to the same end', async () => {
  let makings = 0;
  let deletions = 0;
  for (let after = 1; makings === after - 1 && after <= MOST_WRITES; after++) {
    const { subject, died } = await killMaking(after);
    if (died) makings++;
    // A deletion takes fewer writes than the making.
    if (deletions === after - 1 && (await killDeletion(after, subject))) deletions++;
  }
  expect(makings).toBeGreaterThanOrEqual(CHILDREN.length + 2);
  expect(makings).toBeLessThan(MOST_WRITES);
  expect(deletions).toBeGreaterThanOrEqual(CHILDREN.length);
  expect(deletions).toBeLessThan(makings);
}, 300_000);
