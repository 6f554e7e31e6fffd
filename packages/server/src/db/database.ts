/**
 * What everybody but `db/` holds of the database. Rows come back with camelCase names (`created_at` is `createdAt`) and
 * `undefined` for NULL; int8 is a number, timestamptz a Date, jsonb a value. Give jsonb parameters as `JSON.stringify(value)`.
 */
export interface Queryable {
  query<R extends object>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<R[]>;
  /** For statements whose rows nobody needs: resolves to how many rows were touched. */
  execute(text: string, values?: readonly unknown[]): Promise<number>;
}

export interface QueryOptions {
  /**
   * A name under which the connection keeps the statement, read and planned once: for what every request asks. Its text names its columns, so
   * that a later migration cannot change what it gives.
   */
  prepared?: string;
}

export interface Transaction extends Queryable {
  /** Runs once the transaction is durable, in order, and never when it is rolled back. Must not throw. */
  afterCommit(callback: () => void): void;
}

export interface TransactionOptions {
  /** READ COMMITTED when absent. */
  isolation?: 'serializable';
}

export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. A serialization failure or a
   * deadlock starts it over, so `work` touches nothing but its transaction.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls back for each NOTIFY on the channel. `onGap` is called after each (re)connection: notifications before it
   * may have been missed, so look at the tables. Resolves once listening.
   */
  listen(channel: string, listener: Listener): Promise<Subscription>;
  close(): Promise<void>;
}

export interface PooledDatabase extends Database {
  /** At this moment. `waiting` are those who want a connection and have none. */
  pool(): { open: number; idle: number; waiting: number; most: number };
}

export interface Listener {
  onNotification(payload: string): void;
  onGap(): void;
}

export interface Subscription {
  stop(): Promise<void>;
}
