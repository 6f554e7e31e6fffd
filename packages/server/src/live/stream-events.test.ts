import type { Deployment } from '@berth/core/deployment';
import type { LiveEvent } from '@berth/core/live';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finishRemoval } from '../deployment/finish-removal.ts';
import { type Scene, startScene } from '../deployment/testing/scene.ts';
import { createTenant, joinTeam, type TestTenant } from '../testing/tenants.ts';
import { createLiveClient } from './testing/live-client.ts';
import { listenForTests, openEvents, type SseClient } from './testing/sse-client.ts';

let scene: Scene;
let port: number;
beforeAll(async () => {
  scene = await startScene();
  port = await listenForTests(scene.app.app);
});
afterAll(() => scene.end());

const open = (who: TestTenant, lastEventId?: number, team = who.teamId): Promise<SseClient<LiveEvent>> =>
  openEvents(port, { path: `/api/events?team=${team}`, who, lastEventId });
const isType = (type: LiveEvent['type']) => (event: LiveEvent) => event.type === type;
const about = (name: string) => (event: LiveEvent) => event.type === 'deployment' && event.deployment.name === name;
const list = async (who: TestTenant): Promise<Deployment[]> =>
  (await scene.send(who, 'GET', `/api/deployments?team=${who.teamId}&limit=500`)).json().items;

describe('the event stream', () => {
  it('opens with everything, then tells each change as the API would', async () => {
    const who = await createTenant(scene.database, 'Viewer');
    await scene.create({ name: 'before', template: 'plain', host: 'stream-before' }, who);
    const stream = await open(who);
    const snapshot = await stream.next(isType('snapshot'));
    expect(snapshot.event).toMatchObject({ deployments: await list(who), activity: [{ kind: 'created' }] });
    await scene.create({ name: 'after', template: 'plain', host: 'stream-after' }, who);
    const told = await stream.next(about('after'));
    expect(told.event).toEqual({
      type: 'deployment',
      deployment: (await list(who)).find(({ name }) => name === 'after'),
    });
    await stream.next((event) => event.type === 'activity' && event.activity.deployment === 'after');
    stream.drop();
  });

  it('goes on where a client was, and gives a snapshot to one that was away for too long', async () => {
    const who = await createTenant(scene.database, 'Returning');
    const first = await open(who);
    const { id = 0 } = await first.next(isType('snapshot'));
    first.drop();
    await scene.create({ name: 'missed', template: 'plain', host: 'stream-missed' }, who);
    const second = await open(who, id);
    await second.next(about('missed'));
    expect(second.messages[0]?.event.type).toBe('resumed');
    second.drop();
    await scene.database.execute('delete from live_changes where team_id = $1', [who.teamId]);
    for (const position of [id, 999_999_999]) {
      const third = await open(who, position);
      await third.next(isType('snapshot'));
      expect(third.messages).toHaveLength(1);
      third.drop();
    }
  });

  it('is a 404 for who is not in the team', async () => {
    expect((await open(scene.stranger, undefined, scene.owner.teamId)).status).toBe(404);
  });

  it('case 10: ends at once for who signs out, and for who loses the team', async () => {
    const signingOut = await createTenant(scene.database, 'Leaving');
    const stream = await open(signingOut);
    await stream.next(isType('snapshot'));
    await scene.send(signingOut, 'POST', '/api/logout');
    expect((await stream.next(isType('end'))).event).toEqual({ type: 'end', reason: 'signed_out' });
    await stream.ended;

    const member = await createTenant(scene.database, 'Member');
    await joinTeam(scene.database, member, scene.owner, 'developer');
    const watching = await open(member, undefined, scene.owner.teamId);
    await watching.next(isType('snapshot'));
    await scene.send(scene.owner, 'DELETE', `/api/teams/${scene.owner.teamId}/members/${member.userId}`);
    expect((await watching.next(isType('end'))).event).toEqual({ type: 'end', reason: 'access_removed' });
    const afterwards = watching.messages.findIndex(({ event }) => event.type === 'end');
    expect(watching.messages).toHaveLength(afterwards + 1);
  });

  it('tells what somebody may do anew when their role changes', async () => {
    const member = await createTenant(scene.database, 'Promoted');
    await joinTeam(scene.database, member, scene.owner, 'viewer');
    await scene.create({ name: 'role', template: 'plain' });
    const stream = await open(member, undefined, scene.owner.teamId);
    const permissions = (event: LiveEvent) =>
      event.type === 'snapshot' ? event.deployments.find(({ name }) => name === 'role')?.permissions : undefined;
    expect(permissions((await stream.next(isType('snapshot'))).event)).toEqual(['deployment:logs', 'deployment:read']);
    await scene.database.execute("update team_members set role = 'developer' where user_id = $1 and team_id = $2", [
      member.userId,
      scene.owner.teamId,
    ]);
    await stream.next((event) => permissions(event)?.includes('deployment:update') ?? false);
    stream.drop();
  });
});

describe('any sequence of changes and lost connections', () => {
  const action = fc.record({
    kind: fc.constantFrom('create', 'create', 'change', 'change', 'remove', 'drop', 'forget'),
    which: fc.nat(),
  });

  it('gives a client the rows, with nothing missing and nothing twice', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 15 }), async (actions) => {
        run += 1;
        const who = await createTenant(scene.database, `Run ${run}`, { plan: 'enterprise' });
        const client = createLiveClient((position) => open(who, position));
        await client.connect();
        const host = (name: string) => `run-${run}-${name}`;
        const act = changesOf(who, host);
        for (const { kind, which } of actions) {
          if (kind === 'drop') await client.reconnect();
          else await act[kind]?.(which);
        }
        // A last change that everybody waits for.
        await scene.create({ name: 'last', template: 'plain', host: host('last') }, who);
        const isLast = (event: LiveEvent) =>
          (event.type === 'snapshot' && event.deployments.some(({ name }) => name === 'last')) || about('last')(event);
        await client.waitFor(isLast);
        expect(client.state().deployments).toEqual(await list(who));
        expect(client.problems).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  function changesOf(
    who: TestTenant,
    host: (name: string) => string,
  ): Record<string, (which: number) => Promise<unknown>> {
    let count = 0;
    const choose = async (which: number) => {
      const present = (await list(who)).filter(({ desired }) => desired !== 'deleted');
      return present[which % Math.max(present.length, 1)];
    };
    return {
      create: async () => {
        count += 1;
        await scene.create({ name: `d${count}`, template: 'plain', host: host(`d${count}`) }, who);
      },
      change: async (which) => {
        const chosen = await choose(which);
        const verb = chosen?.desired === 'stopped' ? 'start' : 'stop';
        if (chosen) await scene.send(who, 'POST', `/api/deployments/${chosen.id}/${verb}`);
      },
      remove: async (which) => {
        const chosen = await choose(which);
        if (!chosen) return;
        await scene.send(who, 'DELETE', `/api/deployments/${chosen.id}`);
        await finishRemoval(scene.deps, chosen.id);
      },
      forget: () =>
        scene.database.execute(
          'delete from live_changes where team_id = $1 and position <= (select live_position from teams where id = $1) - 2',
          [who.teamId],
        ),
    };
  }
});

it('tells a client that the server is stopping', async () => {
  const other = await startScene();
  const otherPort = await listenForTests(other.app.app);
  const stream = await openEvents<LiveEvent>(otherPort, { path: '/api/events', who: other.owner });
  await stream.next(isType('snapshot'));
  const ending = other.end();
  expect((await stream.next(isType('end'))).event).toEqual({ type: 'end', reason: 'shutting_down' });
  await Promise.all([ending, stream.ended]);
});
