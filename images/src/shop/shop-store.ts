import type pg from 'pg';
import { AnsweredError } from '../runtime/web-app.ts';
import { transaction } from './database.ts';

export interface Product {
  id: string;
  name: string;
  description: string;
  priceCents: number;
  stock: number;
}

export interface Line {
  product: string;
  name: string;
  priceCents: number;
  quantity: number;
}

export interface Order {
  number: number;
  customer: string;
  totalCents: number;
  createdAt: string;
  lines: Line[];
}

/** Products, carts and orders in PostgreSQL. A cart belongs to whoever knows its id. */
export interface ShopStore {
  products(): Promise<Product[]>;
  cart(id: string): Promise<Line[]>;
  /** How many of a product shall be in the cart; none takes it out. */
  setQuantity(id: string, product: string, quantity: number): Promise<Line[]>;
  /** Makes an order of what is in the cart, takes it from the stock and empties the cart: all or nothing. */
  order(id: string, customer: string): Promise<Order>;
  orders(id: string): Promise<Order[]>;
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

const CART = `SELECT p.id AS product, p.name, p.price_cents AS "priceCents", i.quantity
  FROM cart_items i JOIN products p ON p.id = i.product_id WHERE i.cart_id = $1 ORDER BY p.name`;
const PRODUCTS = 'SELECT id, name, description, price_cents AS "priceCents", stock FROM products ORDER BY name';
const ORDERS = `SELECT o.number, o.customer, o.total_cents AS "totalCents", o.created_at AS "createdAt", json_agg(json_build_object(
    'product', i.product_id, 'name', i.name, 'priceCents', i.price_cents, 'quantity', i.quantity) ORDER BY i.name) AS lines
  FROM orders o JOIN order_items i ON i.order_number = o.number
  WHERE o.cart_id = $1 GROUP BY o.number ORDER BY o.number DESC LIMIT 20`;

export function createShopStore(pool: pg.Pool): ShopStore {
  const read = <T>(sql: string, values: unknown[] = []): Promise<T[]> =>
    transaction(pool, async (client) => (await client.query(sql, values)).rows as T[]);

  return {
    products: () => read<Product>(PRODUCTS),
    cart: (id) => read<Line>(CART, [id]),
    orders: async (id) => (await read<Order & { createdAt: Date }>(ORDERS, [id])).map(withTime),
    setQuantity: (id, product, quantity) =>
      transaction(pool, async (client) => {
        await requireProduct(client, product);
        await client.query('INSERT INTO carts (id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);
        await client.query(
          quantity === 0
            ? 'DELETE FROM cart_items WHERE cart_id = $1 AND product_id = $2'
            : `INSERT INTO cart_items VALUES ($1, $2, $3)
               ON CONFLICT (cart_id, product_id) DO UPDATE SET quantity = excluded.quantity`,
          quantity === 0 ? [id, product] : [id, product, quantity],
        );
        return (await client.query(CART, [id])).rows as Line[];
      }),
    order: (id, customer) => transaction(pool, (client) => placeOrder(client, { id, customer })),
    isReachable: () =>
      pool.query('SELECT 1 FROM products LIMIT 1').then(
        () => true,
        () => false,
      ),
    close: () => pool.end(),
  };
}

async function placeOrder(client: pg.PoolClient, { id, customer }: { id: string; customer: string }): Promise<Order> {
  // Two orders of one cart at a time: the second finds it empty.
  await client.query('SELECT 1 FROM carts WHERE id = $1 FOR UPDATE', [id]);
  const lines = (await client.query(CART, [id])).rows as Line[];
  if (lines.length === 0) throw new AnsweredError(422, 'The cart is empty.');
  // In one order for everybody, so that two customers never wait for each other.
  for (const { product, name, quantity } of [...lines].sort((a, b) => (a.product < b.product ? -1 : 1))) {
    const taken = await client.query('UPDATE products SET stock = stock - $2 WHERE id = $1 AND stock >= $2', [
      product,
      quantity,
    ]);
    if (taken.rowCount === 0) throw new AnsweredError(409, `There are not ${quantity} of "${name}" any more.`);
  }
  const totalCents = lines.reduce((sum, { priceCents, quantity }) => sum + priceCents * quantity, 0);
  const { rows } = await client.query(
    'INSERT INTO orders (cart_id, customer, total_cents) VALUES ($1, $2, $3) RETURNING number, created_at AS "createdAt"',
    [id, customer, totalCents],
  );
  const made = rows[0] as { number: number; createdAt: Date };
  for (const { product, name, priceCents, quantity } of lines) {
    await client.query('INSERT INTO order_items VALUES ($1, $2, $3, $4, $5)', [
      made.number,
      product,
      name,
      priceCents,
      quantity,
    ]);
  }
  await client.query('DELETE FROM cart_items WHERE cart_id = $1', [id]);
  return withTime({ ...made, customer, totalCents, lines });
}

async function requireProduct(client: pg.PoolClient, id: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM products WHERE id = $1', [id]);
  if (rowCount === 0) throw new AnsweredError(404, `There is no product "${id}".`);
}

function withTime<T extends { createdAt: Date }>(order: T): Omit<T, 'createdAt'> & { createdAt: string } {
  return { ...order, createdAt: order.createdAt.toISOString() };
}
