import type { KubeObject } from '../schema/object.ts';
import { LEASE } from '../schema/resources.ts';
import { isKubeError } from '../schema/status.ts';
import { unlessAborted } from './abort.ts';
import type { KubeClient, ObjectAddress } from './client.ts';
import { type Clock, delay, systemClock } from './clock.ts';
import type { Logger } from './logger.ts';

/**
 * One of several processes leads, agreed on through a Lease.
 *
 *     candidate: looks every `retryPeriodMs`. Takes the Lease when nobody holds it, or when it has not changed for its whole
 *                duration since this process saw it last.
 *     leader:    renews every `retryPeriodMs`. Stops by itself `renewDeadlineMs` after it *sent* the last renewal that
 *                succeeded, and at once when it reads another holder.
 *
 * Only durations on each process's own monotonic clock count, never a time that another process wrote, so clocks that differ
 * or jump do no harm. A candidate saw a renewal no earlier than the leader sent it; hence at the earliest
 * `leaseDurationMs - renewDeadlineMs` (5 s by default) after the old leader has stopped does the next one start.
 *
 * The window that remains. Kubernetes has no fencing token: its API server takes a write of a former leader. One can arrive
 * late when
 * - a request was sent before the deadline and is held up for longer than those 5 s on its way or in the server;
 * - the process is frozen for longer than that between looking at `isLeader` and sending (`fenced-client.ts` looks just before), or
 *   in a way that stops its monotonic clock as well (a paused virtual machine, a laptop that sleeps);
 * - `onStopped` or what hangs on the signal takes longer than that to come to rest.
 * Therefore what a leader writes carries a resourceVersion or uid, by which the server refuses what is old.
 */
export interface LeaderElection {
  /** True only while this process may act as leader, by the clock at this moment. */
  isLeader(): boolean;
  /** Ends the candidacy; a leader comes to rest first and then gives the Lease up, so that the next need not wait. */
  stop(): Promise<void>;
}

export interface LeaderElectionOptions {
  client: Pick<KubeClient, 'get' | 'create' | 'replace'>;
  lease: ObjectAddress;
  /** Unlike that of any other process, a restart of this one included. */
  identity: string;
  /** Begin to work. The signal aborts when leadership ends: begin nothing after it. */
  onStarted: (signal: AbortSignal) => void | Promise<void>;
  /** Leadership has ended: come to rest. Awaited before this process becomes a candidate again. */
  onStopped: () => void | Promise<void>;
  logger: Logger;
  clock?: Clock;
  leaseDurationMs?: number;
  renewDeadlineMs?: number;
  retryPeriodMs?: number;
}

interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

const LEASE_DURATION_MS = 15_000;
const RENEW_DEADLINE_MS = 10_000;
const RETRY_PERIOD_MS = 2_000;

export function startLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, lease: address, identity, clock = systemClock } = options;
  const { leaseDurationMs = LEASE_DURATION_MS, renewDeadlineMs = RENEW_DEADLINE_MS } = options;
  const { retryPeriodMs = RETRY_PERIOD_MS } = options;
  checkDurations(leaseDurationMs, renewDeadlineMs, retryPeriodMs);
  const logger = options.logger.child({ lease: address.name, identity });
  const stopping = new AbortController();
  /** The Lease as read last, and since when it has looked like that. */
  let seen: { lease: Lease; version: string | undefined; since: number } | undefined;
  let leadsUntil = Number.NEGATIVE_INFINITY;
  let leading = false;

  const isLeader = () => leading && clock.monotonic() < leadsUntil;

  function look(lease: Lease): void {
    const version = lease.metadata.resourceVersion;
    if (seen?.version !== version) seen = { lease, version, since: clock.monotonic() };
  }

  function mayTake({ lease, since }: NonNullable<typeof seen>): boolean {
    const holder = lease.spec?.holderIdentity;
    if (!holder || holder === identity) return true;
    const duration = (lease.spec?.leaseDurationSeconds ?? leaseDurationMs / 1000) * 1000;
    return clock.monotonic() - since > duration;
  }

  function claim(lease: Lease): Lease {
    const now = microTime(clock.now());
    const mine = lease.spec?.holderIdentity === identity;
    const transitions = (lease.spec?.leaseTransitions ?? 0) + (mine ? 0 : 1);
    const acquireTime = (mine && lease.spec?.acquireTime) || now;
    const leaseDurationSeconds = Math.ceil(leaseDurationMs / 1000);
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds,
      acquireTime,
      renewTime: now,
      leaseTransitions: transitions,
    };
    return { ...lease, spec };
  }

  /** Takes or renews the Lease. False when somebody else has it; throws when the server could not be asked. */
  async function acquire(signal: AbortSignal): Promise<boolean> {
    const sentAt = clock.monotonic();
    let written: Lease;
    if (leading && seen) {
      written = await client.replace(LEASE, claim(seen.lease), { signal });
    } else {
      const found = await client.get<Lease>(LEASE, address, { signal }).catch((error: unknown) => {
        if (isKubeError(error, 'NotFound')) return undefined;
        throw error;
      });
      if (found) {
        look(found);
        if (!seen || !mayTake(seen)) return false;
        written = await client.replace(LEASE, claim(found), { signal });
      } else {
        const metadata = { ...address };
        const fresh: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
        written = await client.create(LEASE, claim(fresh), { signal });
      }
    }
    look(written);
    leadsUntil = sentAt + renewDeadlineMs;
    return true;
  }

  /** One attempt, which a server that does not answer cannot hold up: another must fit before the deadline. */
  async function tryAcquire(): Promise<'held' | 'taken' | 'unknown'> {
    const attempt = new AbortController();
    const give = () => attempt.abort(new Error('the API server did not answer in time'));
    const cancel = clock.after(renewDeadlineMs / 2, give);
    stopping.signal.addEventListener('abort', give);
    try {
      return (await acquire(attempt.signal)) ? 'held' : 'taken';
    } catch (err) {
      if (isKubeError(err, 'Conflict') || isKubeError(err, 'AlreadyExists')) return 'taken';
      logger.debug({ err }, 'lease could not be written');
      return 'unknown';
    } finally {
      cancel();
      stopping.signal.removeEventListener('abort', give);
    }
  }

  /** A conflict while leading means another holder, or only somebody who edited the Lease. */
  async function stillMine(): Promise<boolean> {
    try {
      look(await client.get<Lease>(LEASE, address));
      return seen?.lease.spec?.holderIdentity === identity;
    } catch (err) {
      if (isKubeError(err, 'NotFound')) return false;
      logger.debug({ err }, 'lease could not be read');
      return true;
    }
  }

  async function lead(): Promise<void> {
    const ended = new AbortController();
    const end = () => ended.abort(new Error('leadership has ended'));
    stopping.signal.addEventListener('abort', end);
    leading = true;
    logger.info({}, 'leadership began');
    const work = callBack(() => options.onStarted(ended.signal));
    let cancelDeadline: () => void = () => undefined;
    while (!ended.signal.aborted && clock.monotonic() < leadsUntil) {
      cancelDeadline();
      cancelDeadline = clock.after(leadsUntil - clock.monotonic(), end);
      await delay(clock, retryPeriodMs, ended.signal);
      if (ended.signal.aborted) break;
      // A request that hangs must not keep a leader whose time is over from noticing.
      const renewed = tryAcquire().then((outcome) => outcome !== 'taken' || stillMine());
      if (!(await unlessAborted(renewed, ended.signal))) break;
    }
    cancelDeadline();
    stopping.signal.removeEventListener('abort', end);
    leading = false;
    end();
    logger.info({}, 'leadership ended');
    await callBack(options.onStopped);
    await work;
  }

  async function callBack(callback: () => void | Promise<void>): Promise<void> {
    try {
      await callback();
    } catch (err) {
      logger.error({ err }, 'leadership callback failed');
    }
  }

  /** Only a Lease that is ours by our own clock is given up: otherwise another may hold it already. */
  async function release(): Promise<void> {
    if (!seen || clock.monotonic() >= leadsUntil) return;
    const spec = { ...seen.lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(clock.now()) };
    await client.replace(LEASE, { ...seen.lease, spec }).catch((err: unknown) => {
      logger.debug({ err }, 'lease could not be given up, it will run out');
    });
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      if ((await tryAcquire()) === 'held') {
        if (!stopping.signal.aborted) await lead();
        if (stopping.signal.aborted) return release();
      }
      await delay(clock, retryPeriodMs * (1 + 0.2 * clock.random()), stopping.signal);
    }
  }

  const running = run();
  return {
    isLeader,
    stop() {
      stopping.abort(new Error('leader election is stopped'));
      return running;
    },
  };
}

function checkDurations(leaseDurationMs: number, renewDeadlineMs: number, retryPeriodMs: number): void {
  if (leaseDurationMs > renewDeadlineMs && renewDeadlineMs > 2 * retryPeriodMs && retryPeriodMs > 0) return;
  throw new Error(
    `leader election needs leaseDurationMs (${leaseDurationMs}) > renewDeadlineMs (${renewDeadlineMs}) > 2 * retryPeriodMs (${retryPeriodMs})`,
  );
}

/** Leases carry microseconds. */
function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}
