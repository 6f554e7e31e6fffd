import { type Clock, delay } from '@berth/kube/client/clock';
import type { Database, Queryable, Transaction } from '../db/database.ts';
import type { Logger } from '../logger.ts';

/**
 * One server at a time observes the cluster. The lock is PostgreSQL's own (an advisory lock of an open transaction) rather than
 * a Lease in the cluster, because everything an observer decides is written to that database: who loses the connection
 * loses lock and writes together, and when the process dies the lock is free at once, with no time to wait out. Two observers
 * for a moment would do no harm either: each decision locks its row and a second one finds it made.
 *
 * The transaction only waits: it holds no snapshot and no row, and asks something now and then so that it is not cut as idle.
 */
export interface Leadership {
  start(): void;
  stop(): Promise<void>;
  leading(): boolean;
  /** Resolves once somebody leads: this process, or another one. */
  readonly settled: Promise<void>;
}

export interface LeadershipOptions {
  database: Database;
  logger: Logger;
  timer: Clock;
  /** Does the leader's work until the signal aborts, and cleans up before it resolves. */
  lead(signal: AbortSignal): Promise<void>;
}

/** Any number, as long as nobody else takes it. */
const LOCK_KEY = 7_236_002;
const RETRY_MS = 1_000;
const PING_MS = 1_000;
/** A leader that says nothing for so long (its machine is gone, or it stands still) is cut off by the database, and another one leads. */
const SILENT_SECONDS = 10;

export function createLeadership({ database, logger, timer, lead }: LeadershipOptions): Leadership {
  const stopping = new AbortController();
  let leading = false;
  let running: Promise<void> | undefined;
  let settle: (() => void) | undefined;
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });

  async function term(transaction: Transaction): Promise<void> {
    const [answer] = await transaction.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1) as held', [
      LOCK_KEY,
    ]);
    settle?.();
    if (!answer?.held) return;
    await transaction.execute(`set local idle_in_transaction_session_timeout = '${SILENT_SECONDS}s'`);
    leading = true;
    logger.info({}, 'this server observes the cluster now');
    const ending = new AbortController();
    const work = lead(ending.signal);
    try {
      await Promise.race([work, hold(transaction)]);
    } finally {
      leading = false;
      ending.abort();
      await work;
    }
  }

  async function hold(transaction: Transaction): Promise<void> {
    while (!stopping.signal.aborted) {
      await transaction.query('select 1');
      await delay(timer, PING_MS, stopping.signal);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await database.transaction(term).catch((err: unknown) => logger.warn({ err }, 'observer lost its lock'));
      await delay(timer, RETRY_MS, stopping.signal);
    }
  }

  return {
    settled,
    leading: () => leading,
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Whether any server holds the lock now. */
export async function isSomebodyLeading(queryable: Queryable): Promise<boolean> {
  const rows = await queryable.query(
    "select 1 from pg_locks where locktype = 'advisory' and classid = 0 and objid = $1 and objsubid = 1 and granted",
    [LOCK_KEY],
  );
  return rows.length > 0;
}
