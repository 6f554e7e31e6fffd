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

/** Waits are a tenth as long: what is tested is the order of writes, not the pauses between them. */
const FAST: Clock = {
  ...systemClock,
  after: (milliseconds, callback) => systemClock.after(milliseconds / 10, callback),
};

/** More than any way takes; a run that is over earlier ends the loop. */
const MOST_WRITES = 60;

it('killed after any write, of the making as of the deletion: the next operator comes to the same end', async () => {
  let makings = 0;
  let deletions = 0;
  for (let after = 1; after <= MOST_WRITES; after++) {
    const subject = await make();
    const maker = await scene.startOperator({ diesAfter: after, clock: FAST });
    await untilRunning(subject, isDead(maker, after));
    if (isDead(maker, after)()) makings++;
    await maker.stop();

    const next = await scene.startOperator({ clock: FAST });
    await untilRunning(subject);
    expect(await subject.children()).toEqual(CHILDREN);
    await next.stop();

    await subject.delete();
    const remover = await scene.startOperator({ diesAfter: after, clock: FAST });
    const isGone = async () => {
      await subject.releaseClaims();
      return (await subject.read()) === undefined;
    };
    await until('death or the end', async () => isDead(remover, after)() || (await isGone()));
    if (isDead(remover, after)()) deletions++;
    await remover.stop();

    const last = await scene.startOperator({ clock: FAST });
    await until('the end', isGone);
    expect(await subject.children()).toEqual([]);
    await last.stop();
    if (makings < after && deletions < after) break;
  }
  expect(makings).toBeGreaterThanOrEqual(CHILDREN.length + 2);
  expect(deletions).toBeGreaterThanOrEqual(CHILDREN.length);
  expect(Math.max(makings, deletions)).toBeLessThan(MOST_WRITES);
}, 60_000);
