import * as fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '../schema/object.ts';
import { KubeError } from '../schema/status.ts';
import type { KubeClient } from './client.ts';
import { type LeaderElection, type LeaderElectionOptions, startLeaderElection } from './leader-election.ts';
import { createFakeClock, type FakeClock } from './testing/fake-clock.ts';
import { createSilentLogger } from './testing/silent-logger.ts';

type Trouble = 'none' | 'refuse' | 'hang' | 'lost answer';
type LeaseClient = Pick<KubeClient, 'get' | 'create' | 'replace'>;

/** One Lease with versions; each candidate reaches it through a door of its own, which can fail. */
function createLeaseApi() {
  let stored: KubeObject | undefined;
  let version = 0;
  const write = (object: KubeObject) => {
    stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
    return stored;
  };
  const direct = {
    get() {
      if (!stored) throw new KubeError(404, 'NotFound', 'no lease');
      return stored;
    },
    create(object: KubeObject) {
      if (stored) throw new KubeError(409, 'AlreadyExists', 'there is one');
      return write(object);
    },
    replace(object: KubeObject) {
      const current = stored?.metadata.resourceVersion;
      if (object.metadata.resourceVersion !== current) throw new KubeError(409, 'Conflict', 'modified');
      return write(object);
    },
  };
  function door() {
    const state = { trouble: 'none' as Trouble };
    const through = async <R>(act: () => R, signal?: AbortSignal): Promise<R> => {
      const { trouble } = state;
      if (trouble === 'refuse') throw new KubeError(503, 'ServiceUnavailable', 'refused');
      if (trouble === 'hang') return hang(signal);
      const result = act();
      if (trouble === 'lost answer') return hang(signal);
      return result;
    };
    const client = {
      get: (_type: unknown, _at: unknown, options?: { signal?: AbortSignal }) => through(direct.get, options?.signal),
      create: (_type: unknown, object: KubeObject, options?: { signal?: AbortSignal }) =>
        through(() => direct.create(object), options?.signal),
      replace: (_type: unknown, object: KubeObject, options?: { signal?: AbortSignal }) =>
        through(() => direct.replace(object), options?.signal),
    } as unknown as LeaseClient;
    return { client, state };
  }
  return {
    door,
    holder: () => (stored?.spec as { holderIdentity?: string })?.holderIdentity,
    edit: () => write(stored!),
  };
}

function hang(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason));
    if (!signal) setTimeout(() => reject(new Error('given up')), 0);
  });
}

const elections: { election: LeaderElection; clock: FakeClock }[] = [];
afterEach(async () => {
  for (const { election, clock } of elections.splice(0)) {
    const stopped = election.stop();
    await clock.advance(20_000);
    await stopped;
  }
});

type Door = ReturnType<ReturnType<typeof createLeaseApi>['door']>;

function stand(identity: string, door: Door, clock: FakeClock, more: Partial<LeaderElectionOptions> = {}) {
  const log: string[] = [];
  const election = startLeaderElection({
    client: door.client,
    lease: { name: 'operator', namespace: 'system' },
    identity,
    logger: createSilentLogger(),
    clock,
    onStarted: (signal) => {
      log.push('started');
      signal.addEventListener('abort', () => log.push('aborted'));
    },
    onStopped: () => {
      log.push('stopped');
    },
    ...more,
  });
  elections.push({ election, clock });
  return { election, log, door: door.state };
}

async function two() {
  const clock = createFakeClock();
  const api = createLeaseApi();
  const first = stand('first', api.door(), clock);
  await clock.advance(100);
  const second = stand('second', api.door(), clock);
  await clock.advance(100);
  return { clock, api, first, second };
}

test('of two candidates one leads, and goes on', async () => {
  const { clock, first, second } = await two();
  await clock.advance(600_000);
  expect(first.election.isLeader()).toBe(true);
  expect(second.election.isLeader()).toBe(false);
  expect(first.log).toEqual(['started']);
  expect(second.log).toEqual([]);
});

test('a leader that stops comes to rest first, then gives the Lease up at once', async () => {
  const { clock, api, first, second } = await two();
  const stopped = first.election.stop();
  await clock.advance(0);
  await stopped;
  expect(first.log).toEqual(['started', 'aborted', 'stopped']);
  expect(api.holder()).toBe('');
  await clock.advance(3000);
  expect(second.election.isLeader()).toBe(true);
});

test('a Lease is not given up before the work has come to rest', async () => {
  const clock = createFakeClock();
  const api = createLeaseApi();
  let rest: (() => void) | undefined;
  const onStopped = () =>
    new Promise<void>((resolve) => {
      rest = resolve;
    });
  const { election } = stand('first', api.door(), clock, { onStopped });
  await clock.advance(100);
  const stopped = election.stop();
  await clock.advance(1000);
  expect(api.holder()).toBe('first');
  rest?.();
  await stopped;
  expect(api.holder()).toBe('');
});

test.each<Trouble>(['refuse', 'hang', 'lost answer'])(
  'an API outage (%s) stops the leader before the next can start, and is survived',
  async (trouble) => {
    const { clock, first, second } = await two();
    first.door.trouble = trouble;
    let stoppedAt = 0;
    let startedAt = 0;
    for (let ms = 0; ms < 40_000 && startedAt === 0; ms += 100) {
      await clock.advance(100);
      if (stoppedAt === 0 && !first.election.isLeader()) stoppedAt = clock.monotonic();
      if (second.election.isLeader()) startedAt = clock.monotonic();
    }
    expect(first.log).toEqual(['started', 'aborted', 'stopped']);
    if (trouble !== 'lost answer') expect(startedAt).toBeGreaterThan(0);
    if (startedAt > 0) expect(startedAt - stoppedAt).toBeGreaterThanOrEqual(5_000);
    first.door.trouble = 'none';
    second.door.trouble = 'refuse';
    await clock.advance(60_000);
    expect(first.election.isLeader()).toBe(true);
    expect(second.election.isLeader()).toBe(false);
  },
);

test('a short outage changes nothing', async () => {
  const { clock, first } = await two();
  first.door.trouble = 'refuse';
  await clock.advance(6_000);
  first.door.trouble = 'none';
  await clock.advance(60_000);
  expect(first.log).toEqual(['started']);
});

test('jumps of the wall clock, forwards and back, change nothing', async () => {
  const { clock, first, second } = await two();
  for (const hours of [24, -48, 24 * 365]) {
    clock.jump(hours * 3_600_000);
    await clock.advance(60_000);
  }
  expect(first.log).toEqual(['started']);
  expect(second.log).toEqual([]);
});

test('somebody who edits the Lease causes a conflict, not a change of leader', async () => {
  const { clock, api, first } = await two();
  api.edit();
  await clock.advance(60_000);
  expect(first.log).toEqual(['started']);
});

test('a leader that finds another holder stops at once', async () => {
  const { clock, api, first } = await two();
  const thief = api.door();
  const lease = await thief.client.get(undefined as never, undefined as never);
  await thief.client.replace(undefined as never, {
    ...lease,
    spec: { holderIdentity: 'thief', leaseDurationSeconds: 15 },
  });
  await clock.advance(2_500);
  expect(first.election.isLeader()).toBe(false);
  expect(first.log).toEqual(['started', 'aborted', 'stopped']);
});

test('callbacks that throw are logged and leadership goes on', async () => {
  const clock = createFakeClock();
  const logger = createSilentLogger();
  const onStarted = async () => {
    throw new Error('oops');
  };
  const { election } = stand('first', createLeaseApi().door(), clock, { onStarted, logger });
  await clock.advance(60_000);
  expect(election.isLeader()).toBe(true);
  expect(logger.records.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('durations that leave no room are refused', () => {
  const clock = createFakeClock();
  const start = () => stand('first', createLeaseApi().door(), clock, { renewDeadlineMs: 15_000 });
  expect(start).toThrow('leaseDurationMs (15000) > renewDeadlineMs (15000)');
});

test('whatever fails for whom and when, two never lead at once', async () => {
  const step = fc.record({
    who: fc.nat(2),
    trouble: fc.constantFrom<Trouble>('none', 'none', 'refuse', 'hang', 'lost answer'),
    ms: fc.constantFrom(300, 2_000, 7_000, 16_000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      const clock = createFakeClock(Math.random);
      const api = createLeaseApi();
      const leading = new Set<string>();
      const all = ['a', 'b', 'c'].map((identity) =>
        stand(identity, api.door(), clock, {
          onStarted: () => {
            leading.add(identity);
            expect(leading.size).toBe(1);
          },
          onStopped: () => {
            leading.delete(identity);
          },
        }),
      );
      for (const { who, trouble, ms } of steps) {
        all[who]!.door.trouble = trouble;
        await clock.advance(ms);
        expect(all.filter(({ election }) => election.isLeader()).length).toBeLessThanOrEqual(1);
      }
      for (const { door } of all) door.trouble = 'none';
      await clock.advance(60_000);
      expect(all.filter(({ election }) => election.isLeader())).toHaveLength(1);
      for (const { election } of all) {
        const stopped = election.stop();
        await clock.advance(5_000);
        await stopped;
      }
    }),
    { numRuns: 40 },
  );
});
