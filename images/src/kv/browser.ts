import { splitWords } from './resp.ts';

/** The console's page: keys, one key, one command. Everything goes by the same JSON that programs use. */
interface KeyRow {
  key: string;
  type: string;
  ttl: number | null;
  value?: unknown;
}

const find = <T extends HTMLElement>(id: string): T => {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as T;
};
const [match, nameField, valueField, ttlField] = ['match', 'name', 'value', 'ttl'].map(find<HTMLInputElement>) as [
  HTMLInputElement,
  HTMLInputElement,
  HTMLInputElement,
  HTMLInputElement,
];
let cursor = '0';

async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(path, { headers: { 'content-type': 'application/json' }, ...init });
  if (answer.status === 401) location.reload();
  const body = (await answer.json()) as T & { error?: string };
  if (!answer.ok) throw new Error(body.error ?? `The server answered ${answer.status}.`);
  return body;
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

async function overview(): Promise<void> {
  const facts = await call<Record<string, number>>('/overview');
  const mebibytes = (Number(facts.used_memory) / 1024 / 1024).toFixed(0);
  find('overview').textContent =
    `${counted(facts.keys, 'key')}, ${counted(facts.connected_clients, 'client')}, ${mebibytes} MiB of memory, ${facts.aof_current_size} bytes on disk.`;
}

function counted(count: number | undefined, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

async function search(from: string): Promise<void> {
  if (from === '0') find('keys').replaceChildren();
  const query = new URLSearchParams({ match: match.value || '*', cursor: from });
  const page = await call<{ cursor: string; keys: KeyRow[] }>(`/keys?${query}`);
  cursor = page.cursor;
  find('keys').append(...page.keys.map(rowOf));
  find('more').hidden = cursor === '0';
  await overview();
}

function rowOf({ key, type, ttl }: KeyRow): HTMLElement {
  const button = document.createElement('button');
  button.textContent = key;
  button.addEventListener('click', () => doing(() => open(key)));
  const row = document.createElement('tr');
  for (const content of [button, type, ttl === null ? 'never' : `${ttl} s`]) {
    const cell = document.createElement('td');
    cell.append(content);
    row.append(cell);
  }
  return row;
}

async function open(key: string): Promise<void> {
  const found = await call<KeyRow>(`/keys/${encodeURIComponent(key)}`);
  show(key, typeof found.value === 'string' ? found.value : JSON.stringify(found.value, undefined, 2), found.ttl);
}

function show(name: string, value: string, ttl: number | null): void {
  nameField.value = name;
  valueField.value = value;
  ttlField.value = ttl === null ? '' : String(ttl);
  find('remove').hidden = name === '';
  find('editor').hidden = false;
  (name === '' ? nameField : valueField).focus();
}

function typedValue(): unknown {
  if (!/^\s*[[{]/.test(valueField.value)) return valueField.value;
  try {
    return JSON.parse(valueField.value);
  } catch {
    return valueField.value;
  }
}

const on = (id: string, event: string, work: () => Promise<void>): void =>
  find(id).addEventListener(event, (happened) => {
    happened.preventDefault();
    doing(work);
  });

on('search', 'submit', () => search('0'));
on('more', 'click', () => search(cursor));
on('new', 'click', async () => show('', '', null));
on('close', 'click', async () => {
  find('editor').hidden = true;
});
on('key-form', 'submit', async () => {
  const ttl = ttlField.value === '' ? undefined : Number(ttlField.value);
  const body = JSON.stringify({ value: typedValue(), ttl });
  await call(`/keys/${encodeURIComponent(nameField.value)}`, { method: 'PUT', body });
  find('editor').hidden = true;
  await search('0');
});
on('remove', 'click', async () => {
  await call(`/keys/${encodeURIComponent(nameField.value)}`, { method: 'DELETE' });
  find('editor').hidden = true;
  await search('0');
});
on('command-form', 'submit', async () => {
  const command = splitWords(find<HTMLInputElement>('command').value);
  const { reply } = await call<{ reply: unknown }>('/command', { method: 'POST', body: JSON.stringify({ command }) });
  find('reply').textContent = typeof reply === 'string' ? reply : JSON.stringify(reply, undefined, 2);
  await search('0');
});
doing(() => search('0'));
