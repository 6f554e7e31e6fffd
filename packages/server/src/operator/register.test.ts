import { type Clock, systemClock } from '@berth/kube/client/clock';
import { LEASE } from '@berth/kube/schema/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPERATOR_LEASE } from './register.ts';
import { spec } from './testing/fixtures.ts';
import { type OperatorScene, startOperatorScene, subjectOf } from './testing/operator-scene.ts';
import { until } from './testing/until.ts';

let scene: OperatorScene;
beforeEach(async () => {
  scene = await startOperatorScene();
});
afterEach(() => scene.end());

/** Time passes forty times as fast, for timers and for those who look at the clock. */
const FAST: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * 40,
  after: (milliseconds, callback) => systemClock.after(milliseconds / 40, callback),
};

describe('two operators', () => {
  const start = (identity: string) =>
    scene.startOperator({ leaderElection: { namespace: 'default', identity }, clock: FAST });

  it('never write both: the second is warm and takes over when the first stops', async () => {
    const first = await start('one');
    await until('a leader', async () => first.isLeading());
    const second = await start('two');
    const subject = subjectOf(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
    await subject.create(spec());
    await subject.admit();
    await until('the children', async () => (await subject.children()).length === 3);
    expect(second.client.writes).toEqual([]);
    expect(second.isLeading()).toBe(false);
    expect(second.healthy()).toBe(true);
    await first.stop();
    await until('the other leader', async () => second.isLeading());
    await subject.edit((before) => ({ ...before, restartedAt: 'now' }));
    await until('its write', async () => second.client.writes.some(({ kind }) => kind === 'Deployment'));
    const lease = await scene.client.get(LEASE, { name: OPERATOR_LEASE, namespace: 'default' });
    expect(lease.spec).toMatchObject({ holderIdentity: 'two' });
  });
});

describe('case 13: an operator that has lost the API server', () => {
  it('is healthy while it is followed, and not once the server is gone for longer than a moment', async () => {
    const operator = await scene.startOperator({ clock: FAST });
    await until('health', async () => operator.healthy());
    await scene.stopServer();
    await until('illness', async () => !operator.healthy());
  });
});
