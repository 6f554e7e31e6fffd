import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Transaction, TransactionOptions } from './database.ts';
import { isRetryable } from './errors.ts';
import { readRow } from './rows.ts';
import { traceStatement } from './trace-statement.ts';

const MAX_ATTEMPTS = 6;
const RETRY_STEP_MS = 10;

export async function runTransaction<T>(
  connect: () => Promise<pg.PoolClient>,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(await connect(), work, options);
    } catch (error) {
      if (!isRetryable(error) || attempt === MAX_ATTEMPTS) throw error;
      // Apart by chance, or the same ones meet again.
      await pause(RETRY_STEP_MS * attempt * (0.5 + Math.random()));
    }
  }
}

async function runOnce<T>(
  client: pg.PoolClient,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const afterCommit: (() => void)[] = [];
  let open = true;
  const run = (text: string, values?: readonly unknown[]) => {
    if (!open) throw new Error('this transaction has ended; do not keep it');
    return traceStatement(text, () => client.query(text, [...(values ?? [])]));
  };
  const transaction: Transaction = {
    query: async (text, values) => (await run(text, values)).rows.map((row) => readRow(row)),
    execute: async (text, values) => (await run(text, values)).rowCount ?? 0,
    afterCommit: (callback) => afterCommit.push(callback),
  };
  // A connection that is lost while nobody queries it emits this; the next query then fails.
  const ignoreLoss = () => undefined;
  client.on('error', ignoreLoss);
  let broken: Error | undefined;
  try {
    await client.query(options.isolation === 'serializable' ? 'begin isolation level serializable' : 'begin');
    const result = await work(transaction);
    open = false;
    await commit(client);
    for (const callback of afterCommit) callback();
    return result;
  } catch (error) {
    open = false;
    broken = await rollBack(client);
    throw error;
  } finally {
    client.off('error', ignoreLoss);
    client.release(broken);
  }
}

/** COMMIT of a transaction in which a failed statement was swallowed answers ROLLBACK, and no error. */
async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('commit');
  if (command !== 'COMMIT') throw new Error('the transaction had failed before and was rolled back');
}

/** Returns why the connection cannot be used again, if so. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
