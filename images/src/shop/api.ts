import type { IncomingMessage, Server } from 'node:http';
import { type Answer, json, text } from '../runtime/answer.ts';
import { readFields } from '../runtime/read-body.ts';
import { isSameOrigin } from '../runtime/same-origin.ts';
import { AnsweredError, type AppRequest, createWebApp } from '../runtime/web-app.ts';
import type { ShopStore } from './shop-store.ts';

const MAX_QUANTITY = 99;
const MAX_NAME = 100;
const CART_SECONDS = 30 * 24 * 60 * 60;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `/api/products`, `/api/cart` (GET, PUT {product, quantity}), `/api/orders` (GET, POST {name}). A cookie says whose cart it is. */
export function createApi({ store, newId }: { store: ShopStore; newId: () => string }): Server {
  return createWebApp(async (request) => {
    const { method, path, raw } = request;
    if (path === '/healthz') return text(200, 'ok');
    if (path === '/readyz')
      return (await store.isReachable()) ? text(200, 'ok') : text(503, 'the database does not answer');
    if (method !== 'GET' && !isSameOrigin(raw.headers)) return json(403, { error: 'This came from another site.' });
    const known = cartOf(raw);
    const cart = known ?? newId();
    const answer = await route(store, request, cart);
    return known ? answer : { ...answer, headers: { ...answer.headers, 'set-cookie': cookie(cart, raw) } };
  });
}

async function route(store: ShopStore, { method, path, raw }: AppRequest, cart: string): Promise<Answer> {
  switch (`${method} ${path}`) {
    case 'GET /api/products':
      return json(200, { products: await store.products() });
    case 'GET /api/cart':
      return json(200, { lines: await store.cart(cart) });
    case 'PUT /api/cart': {
      const { product, quantity } = await readFields(raw);
      const count = Number(quantity);
      if (!Number.isInteger(count) || count < 0 || count > MAX_QUANTITY)
        throw new AnsweredError(422, `A quantity is a whole number from 0 to ${MAX_QUANTITY}.`);
      return json(200, { lines: await store.setQuantity(cart, String(product ?? ''), count) });
    }
    case 'GET /api/orders':
      return json(200, { orders: await store.orders(cart) });
    case 'POST /api/orders': {
      const name = String((await readFields(raw)).name ?? '').trim();
      if (name === '' || name.length > MAX_NAME || /\0/.test(name))
        throw new AnsweredError(422, `Say who orders, in at most ${MAX_NAME} characters.`);
      return json(201, await store.order(cart, name));
    }
    default:
      return json(404, { error: 'The shop has /api/products, /api/cart and /api/orders.' });
  }
}

function cartOf(request: IncomingMessage): string | undefined {
  const found = /(?:^|;\s*)cart=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  return UUID.test(found) ? found : undefined;
}

function cookie(cart: string, request: IncomingMessage): string {
  const secure = request.headers['x-forwarded-proto'] === 'https' ? '; Secure' : '';
  return `cart=${cart}; Path=/; Max-Age=${CART_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}
