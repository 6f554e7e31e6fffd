import type pg from 'pg';
import { log, messageOf } from '../runtime/log.ts';
import { onceReachable } from '../runtime/once-reachable.ts';

/** In order, each once. What is here was run somewhere: a change is another line. */
const MIGRATIONS: { name: string; sql: string }[] = [
  {
    name: '1 tables',
    sql: `
CREATE TABLE products (
  id text PRIMARY KEY, name text NOT NULL, description text NOT NULL,
  price_cents int NOT NULL CHECK (price_cents >= 0), stock int NOT NULL CHECK (stock >= 0)
);
CREATE TABLE carts (id uuid PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE cart_items (
  cart_id uuid REFERENCES carts ON DELETE CASCADE, product_id text REFERENCES products,
  quantity int NOT NULL CHECK (quantity > 0), PRIMARY KEY (cart_id, product_id)
);
CREATE TABLE orders (
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, cart_id uuid NOT NULL, customer text NOT NULL,
  total_cents int NOT NULL, created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX orders_by_cart ON orders (cart_id, number);
CREATE TABLE order_items (
  order_number int REFERENCES orders ON DELETE CASCADE, product_id text NOT NULL, name text NOT NULL,
  price_cents int NOT NULL, quantity int NOT NULL, PRIMARY KEY (order_number, product_id)
)`,
  },
  {
    name: '2 first products',
    sql: `
INSERT INTO products (id, name, description, price_cents, stock) VALUES
  ('mug', 'Enamel mug', 'Holds a third of a litre and survives a fall.', 1400, 120),
  ('lamp', 'Deck lamp', 'Warm light, runs for ten hours.', 3900, 40),
  ('rope', 'Rope, 10 m', 'Hemp, twelve millimetres.', 1850, 75),
  ('compass', 'Compass', 'Points north. So far always.', 5200, 12)`,
  },
];

/** Any number chosen once: two runs at a time wait for each other. */
const LOCK = 4_017_236;

export async function migrate(pool: pg.Pool): Promise<void> {
  const client = await onceReachable(() => pool.connect());
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query('CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, at timestamptz DEFAULT now())');
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations');
    const done = new Set(rows.map(({ name }) => name));
    for (const { name, sql } of MIGRATIONS.filter((each) => !done.has(each.name))) {
      await client.query('BEGIN');
      await client.query(sql).catch((error: unknown) => {
        throw new Error(`migration "${name}" failed: ${messageOf(error)}`, { cause: error });
      });
      await client.query('INSERT INTO migrations (name) VALUES ($1)', [name]);
      await client.query('COMMIT');
      log.info(`migration "${name}" is done`);
    }
    log.info(`the database is at "${MIGRATIONS.at(-1)?.name}"`);
  } finally {
    // Ends what was begun and lets go of the lock.
    client.release(true);
  }
}
