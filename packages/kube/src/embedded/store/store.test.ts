import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../schema/object.ts';
import { startPostgres, type TestPostgres } from '../../testing/postgres.ts';
import { memoryJournal } from './journal.ts';
import { JournaledStore } from './journaled-store.ts';
import { postgresJournal, postgresStore } from './postgres-journal.ts';
import { type Store, StoreCompactedError, type StoreEvent, StoreUnavailableError } from './store.ts';

const object = (name: string, data: Record<string, unknown> = {}, namespace = 'a'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});
const address = (name: string, namespace = 'a') => ({ resource: 'configmaps', namespace, name });
const put = (store: Store, name: string, data: Record<string, unknown> = {}, namespace = 'a') =>
  store.write(address(name, namespace), () => object(name, data, namespace));
const remove = (store: Store, name: string) =>
  store.write(address(name), (current) => current && { removed: current.object });

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const wipe = () => postgres.pool.query('DROP TABLE IF EXISTS kube_store, kube_objects, kube_changes');

describe.each(['memory', 'postgres'])('the store on %s', (backend) => {
  let store: Store;
  beforeEach(async () => {
    if (backend === 'postgres') await wipe();
    store = new JournaledStore(backend === 'memory' ? memoryJournal() : postgresJournal(postgres.pool), { window: 20 });
    await store.open();
    return () => store.close();
  });

  it('gives back what was written, with its version', async () => {
    const { record, changed } = await put(store, 'x', { a: '1' });
    expect(changed).toBe(true);
    expect(store.get(address('x'))).toEqual(record);
    expect(record?.object.metadata.resourceVersion).toBe(String(store.revision()));
    expect(JSON.parse(record!.json)).toEqual(record!.object);
  });

  it('lists by namespace, then name', async () => {
    for (const [namespace, name] of [
      ['b', 'a'],
      ['a', 'c'],
      ['a-b', 'x'],
      ['a', 'b'],
    ] as const)
      await put(store, name, {}, namespace);
    const names = (namespace?: string) =>
      store.list('configmaps', namespace).map(({ address: { namespace: of, name } }) => `${of}/${name}`);
    expect(names()).toEqual(['a/b', 'a/c', 'a-b/x', 'b/a']);
    expect(names('a')).toEqual(['a/b', 'a/c']);
    expect(store.list('secrets')).toEqual([]);
  });

  it('writes nothing when the decision equals what is there', async () => {
    await put(store, 'x', { a: '1', b: '2' });
    const before = store.revision();
    const { changed } = await put(store, 'x', { b: '2', a: '1' });
    expect(changed).toBe(false);
    expect(store.revision()).toBe(before);
  });

  it('lets every writer see what the one before it wrote', async () => {
    const count = (current: { object: KubeObject } | undefined) =>
      Number((current?.object.data as { n?: number })?.n ?? 0);
    await Promise.all(
      Array.from({ length: 100 }, () => store.write(address('n'), (current) => object('n', { n: count(current) + 1 }))),
    );
    expect(count(store.get(address('n')))).toBe(100);
  });

  it('refuses one write without harm to the others', async () => {
    const results = await Promise.allSettled([
      put(store, 'x'),
      store.write(address('y'), () => {
        throw new Error('no');
      }),
      put(store, 'z'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(store.list('configmaps').map(({ address: { name } }) => name)).toEqual(['x', 'z']);
  });

  it('shows decisions the state with the earlier writes of the batch', async () => {
    const seen: number[] = [];
    await Promise.all(
      ['x', 'y', 'z'].map((name) =>
        store.write(address(name), (_current, view) => {
          seen.push(view.list('configmaps').length);
          return object(name);
        }),
      ),
    );
    expect(seen).toEqual([0, 1, 2]);
  });

  it('previews a write without writing', async () => {
    const { record } = store.preview(address('x'), () => object('x'));
    expect(record?.object.metadata.name).toBe('x');
    expect(store.get(address('x'))).toBeUndefined();
  });

  it('tells watchers of every change, in order, without gap or repeat', async () => {
    const since = store.revision();
    const early: StoreEvent[] = [];
    store.watch('configmaps', since, (event) => early.push(event));
    await Promise.all([put(store, 'x', { a: 1 }), put(store, 'x', { a: 2 }), put(store, 'y')]);
    await remove(store, 'x');
    const late: StoreEvent[] = [];
    store.watch('configmaps', since, (event) => late.push(event));
    await put(store, 'z');
    const shape = (events: StoreEvent[]) =>
      events.map(({ type, revision, record }) => [type, revision - since, record.address.name]);
    expect(shape(early)).toEqual([
      ['ADDED', 1, 'x'],
      ['MODIFIED', 2, 'x'],
      ['ADDED', 3, 'y'],
      ['DELETED', 4, 'x'],
      ['ADDED', 5, 'z'],
    ]);
    expect(late).toEqual(early);
    expect(early[1]?.previous?.object.data).toEqual({ a: 1 });
    expect(early[3]?.record.object.metadata.resourceVersion).toBe(String(since + 4));
  });

  it('ends a watch for good', async () => {
    const seen: StoreEvent[] = [];
    store.watch('configmaps', store.revision(), (event) => seen.push(event))();
    await put(store, 'x');
    expect(seen).toEqual([]);
  });

  it('says when a version is too old to watch from', async () => {
    const since = store.revision();
    for (let n = 0; n < 40; n++) await put(store, 'x', { n });
    expect(() => store.watch('configmaps', since, () => undefined)).toThrow(StoreCompactedError);
    expect(() => store.watch('configmaps', store.compacted(), () => undefined)).not.toThrow();
  });

  it('refuses writes once closed', async () => {
    await store.close();
    await expect(put(store, 'x')).rejects.toThrow(StoreUnavailableError);
  });
});

describe('the store on postgres, over restarts', () => {
  beforeEach(async () => {
    await wipe();
  });

  it('keeps objects, versions and the window of events', async () => {
    const first = postgresStore(postgres.pool);
    await first.open();
    const since = first.revision();
    await put(first, 'x', { a: 1 });
    await put(first, 'x', { a: 2 });
    await put(first, 'y');
    await remove(first, 'y');
    await first.close();
    const second = postgresStore(postgres.pool);
    await second.open();
    expect(second.revision()).toBe(since + 4);
    expect(second.list('configmaps').map(({ object: { data } }) => data)).toEqual([{ a: 2 }]);
    const events: StoreEvent[] = [];
    second.watch('configmaps', since, (event) => events.push(event));
    expect(events.map(({ type, record, previous }) => [type, record.address.name, previous?.object.data])).toEqual([
      ['ADDED', 'x', undefined],
      ['MODIFIED', 'x', { a: 1 }],
      ['ADDED', 'y', undefined],
      ['DELETED', 'y', {}],
    ]);
    await second.close();
  });

  it('lets one process own it', async () => {
    const first = postgresStore(postgres.pool);
    await first.open();
    const second = postgresStore(postgres.connect());
    await expect(second.open()).rejects.toThrow('in use by another process');
    await first.close();
    const third = postgresStore(postgres.connect());
    await third.open();
    await third.close();
  });

  it('writes nothing over the work of another owner', async () => {
    const store = postgresStore(postgres.pool);
    await store.open();
    await put(store, 'x');
    await postgres.pool.query('UPDATE kube_store SET revision = revision + 1, owner = gen_random_uuid()');
    await expect(put(store, 'y')).rejects.toThrow();
    const { rows } = await postgres.pool.query('SELECT name FROM kube_objects');
    expect(rows).toEqual([{ name: 'x' }]);
    await store.close();
  });

  it('loses no acknowledged write when the database dies in the middle', async () => {
    const store = postgresStore(postgres.pool);
    await store.open();
    const acknowledged: string[] = [];
    const refused: string[] = [];
    let next = 0;
    const writer = async () => {
      while (next < 400) {
        const name = `n${next++}`;
        await put(store, name).then(
          () => acknowledged.push(name),
          () => refused.push(name),
        );
        if (next === 150) await postgres.kill();
        if (next === 151) await postgres.start();
      }
    };
    await Promise.all(Array.from({ length: 8 }, writer));
    const { rows } = await postgres.pool.query<{ name: string }>('SELECT name FROM kube_objects');
    const kept = new Set(rows.map(({ name }) => name));
    expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(150);
    expect(store.list('configmaps').length).toBe(kept.size);
    await store.close();
  });
});
