import type { App } from '../app.ts';
import type { TemplateJob } from '../template-job.ts';

interface Order {
  number: number;
  customer: string;
  totalCents: number;
}
let cookie = '';

export const shop: TemplateJob = {
  async use(app) {
    const { expect } = app;
    expect((await app.ask('/')).text).toContain('Harbour shop');
    const { products } = (await ask(app, 'GET', '/products')) as { products: { id: string; priceCents: number }[] };
    expect(products.map(({ id }) => id).sort()).toEqual(['compass', 'lamp', 'mug', 'rope']);
    expect(await order(app, 'Ada')).toMatchObject({ number: 1, customer: 'Ada', totalCents: 2 * 1400 });
    await ask(app, 'PUT', '/cart', { product: 'rope', quantity: 3 });
  },
  async useAgain(app) {
    const { expect } = app;
    // What was left in the cart is ordered with what comes to it.
    expect(await order(app, 'Bob')).toMatchObject({ number: 2, totalCents: 2 * 1400 + 3 * 1850 });
    const { orders } = (await ask(app, 'GET', '/orders')) as { orders: Order[] };
    expect(orders.map(({ customer }) => customer)).toEqual(['Bob', 'Ada']);
    const { products } = (await ask(app, 'GET', '/products')) as { products: { id: string; stock: number }[] };
    expect(products.find(({ id }) => id === 'mug')?.stock).toBe(116);
  },
};

async function order(app: App, name: string): Promise<unknown> {
  await ask(app, 'PUT', '/cart', { product: 'mug', quantity: 2 });
  return ask(app, 'POST', '/orders', { name });
}

async function ask(app: App, method: string, path: string, body?: unknown): Promise<unknown> {
  const { expect } = app;
  const reply = await app.ask(`/api${path}`, { method, body, headers: { cookie } });
  cookie = reply.headers['set-cookie']?.[0]?.split(';')[0] ?? cookie;
  expect([reply.text, reply.status]).toEqual([expect.any(String), method === 'POST' ? 201 : 200]);
  return reply.json();
}
