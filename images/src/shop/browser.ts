import type { Line, Order, Product } from './shop-store.ts';

/** The page of the shop: everything it shows is what the API answered last. */
const money = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: document.body.dataset.currency || 'EUR',
});
const find = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
};

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`/api${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const result = (await answer.json().catch(() => ({}))) as T & { error?: string };
  if (!answer.ok) throw new Error(result.error ?? 'The shop does not answer just now. Try again in a moment.');
  return result;
}

/** Shows what goes wrong, until the next thing goes right. */
function doing(work: () => Promise<void>): void {
  const problem = find('problem');
  work().then(
    () => {
      problem.hidden = true;
    },
    (error: unknown) => {
      problem.textContent = error instanceof Error ? error.message : String(error);
      problem.hidden = false;
    },
  );
}

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

let lines: Line[] = [];

function showProducts(products: Product[]): void {
  find('products').replaceChildren(
    ...products.map(({ id, name, description, priceCents, stock }) => {
      const add = make('button', { disabled: stock === 0 }, stock === 0 ? 'Sold out' : 'Add to cart');
      add.addEventListener('click', () => doing(() => setQuantity(id, quantityOf(id) + 1)));
      const price = make('p', { className: 'price' }, money.format(priceCents / 100));
      const article = make(
        'article',
        { className: 'card' },
        make('h2', {}, name),
        make('p', {}, description),
        price,
        add,
      );
      return article;
    }),
  );
}

function quantityOf(product: string): number {
  return lines.find((line) => line.product === product)?.quantity ?? 0;
}

function showCart(): void {
  find('empty').hidden = lines.length > 0;
  find('cart').hidden = lines.length === 0;
  const total = lines.reduce((sum, { priceCents, quantity }) => sum + priceCents * quantity, 0);
  find('total').textContent = money.format(total / 100);
  find('lines').replaceChildren(
    ...lines.map(({ product, name, priceCents, quantity }) => {
      const field = make('input', { type: 'number', min: '0', max: '99', value: String(quantity) });
      field.setAttribute('aria-label', `How many of ${name}`);
      field.addEventListener('change', () => doing(() => setQuantity(product, Number(field.value))));
      const number = (cents: number) => make('td', { className: 'number' }, money.format(cents / 100));
      return make(
        'tr',
        {},
        make('td', {}, name),
        number(priceCents),
        make('td', {}, field),
        number(priceCents * quantity),
      );
    }),
  );
}

async function setQuantity(product: string, quantity: number): Promise<void> {
  lines = (await call<{ lines: Line[] }>('PUT', '/cart', { product, quantity })).lines;
  showCart();
}

async function load(): Promise<void> {
  // One after the other: the first answer brings the cookie that the next ones need.
  lines = (await call<{ lines: Line[] }>('GET', '/cart')).lines;
  showCart();
  showProducts((await call<{ products: Product[] }>('GET', '/products')).products);
  const { orders } = await call<{ orders: Order[] }>('GET', '/orders');
  find('ordered').hidden = orders.length === 0;
  find('orders').replaceChildren(
    ...orders.map(({ number, customer, totalCents, lines: ordered }) => {
      const items = ordered.map(({ name, quantity }) => `${quantity} x ${name}`).join(', ');
      return make('li', {}, `No. ${number} for ${customer}: ${items}, ${money.format(totalCents / 100)}`);
    }),
  );
}

find('order').addEventListener('submit', (event) => {
  event.preventDefault();
  const name = new FormData(event.target as HTMLFormElement).get('name');
  doing(async () => {
    await call('POST', '/orders', { name });
    await load();
  });
});
doing(load);
