import { delay, type Clock as KubeClock } from '@berth/kube/client/clock';
import type { Subscription } from '../db/database.ts';
import { recordLiveChange } from '../live/live-changes.ts';
import type { Logger } from '../logger.ts';
import { type ApplyDeps, applyDeployment } from './apply-deployment.ts';
import { applyFailure } from './apply-failure.ts';
import { findById } from './deployment-repository.ts';
import { type ClaimedEntry, claimNext, finish, OUTBOX_CHANNEL, putOff } from './outbox.ts';
import { ATTEMPTS_UNTIL_SHOWN } from './present-deployment.ts';

/**
 * Drains the outbox, on every server at once: each entry is claimed by one. It starts with what is there, hears of new
 * entries by NOTIFY, and looks by itself every few seconds for those whose notification was missed or whose time has come.
 */
export interface Applier {
  start(): void;
  stop(): Promise<void>;
  /** Claims and applies one entry that is due; false when there was none. For tests that go step by step. */
  step(): Promise<boolean>;
}

export interface ApplierDeps extends ApplyDeps {
  logger: Logger;
  /** For waiting and chance; times in the database are the database's. */
  timer: KubeClock;
  workers?: number;
}

const POLL_MS = 2_000;
const WORKERS = 4;

export function createApplier(deps: ApplierDeps): Applier {
  const { database, clock, timer, workers = WORKERS } = deps;
  const logger = deps.logger.child({ worker: 'applier' });
  const stopping = new AbortController();
  let wake = new AbortController();
  let subscription: Subscription | undefined;
  let running: Promise<unknown> = Promise.resolve();

  function wakeAll(): void {
    const sleeping = wake;
    wake = new AbortController();
    sleeping.abort();
  }

  async function step(): Promise<boolean> {
    const entry = await claimNext(database);
    if (!entry) return false;
    try {
      await applyDeployment(deps, entry.deploymentId);
      await finish(database, entry);
      if (isShown(entry)) await tell(entry.deploymentId);
    } catch (error) {
      await fail(entry, error);
    }
    return true;
  }

  async function fail(entry: ClaimedEntry, error: unknown): Promise<void> {
    const failure = applyFailure(error, {
      attempts: entry.attempts,
      random: timer.random,
      shownFrom: ATTEMPTS_UNTIL_SHOWN,
    });
    const row = await findById(database, entry.deploymentId);
    const fields = { deployment: row?.name, namespace: row?.namespace, attempts: failure.attempts, err: error };
    if (failure.conflict) logger.debug(fields, 'deployment written by somebody else meanwhile, looking again');
    else
      logger.warn(fields, failure.refused ? 'cluster refused a deployment' : 'deployment not applied, will try again');
    if (row && !failure.conflict) deps.namespaces.forget(row.namespace);
    const { delayMs, attempts, message } = failure;
    const kept = await putOff(database, entry, { delayMs, attempts, error: message });
    const isNews = !isShown(entry) || entry.lastError !== message;
    if (kept && attempts >= ATTEMPTS_UNTIL_SHOWN && isNews) await tell(entry.deploymentId);
  }

  /** What people see of a deployment has changed with the outbox entry, though no field of its row has. */
  async function tell(deploymentId: string): Promise<void> {
    const row = await findById(database, deploymentId);
    if (!row) return;
    await database.transaction((transaction) =>
      recordLiveChange(transaction, { teamId: row.teamId, kind: 'deployment', objectId: row.id }, clock),
    );
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Taken before looking: an entry that comes after the look aborts it.
      const { signal } = wake;
      try {
        if (await step()) continue;
      } catch (err) {
        logger.error({ err }, 'applier could not reach the database');
      }
      await delay(timer, POLL_MS * (0.5 + timer.random()), signal);
    }
  }

  /** Without it entries are found by looking: a database that is away at the start stops nothing. */
  async function listen(): Promise<void> {
    while (!stopping.signal.aborted && !subscription) {
      try {
        subscription = await database.listen(OUTBOX_CHANNEL, { onNotification: wakeAll, onGap: wakeAll });
      } catch (err) {
        logger.warn({ err }, 'applier cannot listen yet');
        await delay(timer, POLL_MS, stopping.signal);
      }
    }
  }

  return {
    step,
    start() {
      running = Promise.all([listen(), ...Array.from({ length: workers }, work)]);
    },
    async stop() {
      stopping.abort();
      wakeAll();
      await running;
      await subscription?.stop();
    },
  };
}

/** The failures before this attempt lasted long enough to be shown. */
function isShown({ attempts }: Pick<ClaimedEntry, 'attempts'>): boolean {
  return attempts >= ATTEMPTS_UNTIL_SHOWN;
}
