import type { KubeClient } from '@berth/kube/client/client';
import type { KubeObject } from '@berth/kube/schema/object';
import { CONFIG_MAP, NAMESPACE } from '@berth/kube/schema/resources';

/** What is done, and how often a second. */
export type Measurements = Record<string, number>;

/** As many requests are on their way at any time. */
const AT_ONCE = 20;
const LISTS = 20;
const ALONE = 100;

export async function measure(
  client: KubeClient,
  { objects, watchers, round }: { objects: number; watchers: number; round: number },
): Promise<Measurements> {
  const namespace = `bench-${round}`;
  await client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const place = (at: number) => ({ namespace, name: `map-${at}` });
  const all = Array.from({ length: objects }, (_, at) => at);
  const write = (version: string) => async (at: number) => {
    await client.replace(CONFIG_MAP, configMap(place(at), version));
  };
  const results: Measurements = {};
  // The first requests meet cold caches and code that is not compiled yet.
  await inParallel(all.slice(0, 50), (at) => client.list(CONFIG_MAP, { namespace, limit: at + 1 }));
  results['creates, 20 at once'] = await rate(objects, () =>
    inParallel(all, (at) => client.create(CONFIG_MAP, configMap(place(at), '1'))),
  );
  results['creates, one by one'] = await rate(ALONE, async () => {
    for (let at = 0; at < ALONE; at++) await client.create(CONFIG_MAP, configMap(place(objects + at), '1'));
  });
  results['updates, 20 at once'] = await rate(objects, () => inParallel(all, write('2')));
  results['gets, 20 at once'] = await rate(objects * 2, () =>
    inParallel([...all, ...all], (at) => client.get(CONFIG_MAP, place(at))),
  );
  results[`lists of ${objects + ALONE}`] = await rate(LISTS, async () => {
    for (let at = 0; at < LISTS; at++) await client.list(CONFIG_MAP, { namespace });
  });
  results[`updates with ${watchers} watchers`] = await watched(client, { namespace, watchers, count: objects }, () =>
    inParallel(all, write('3')),
  );
  results['events delivered'] = results[`updates with ${watchers} watchers`]! * watchers;
  return results;
}

/** Until every watcher has seen every change. */
async function watched(
  client: KubeClient,
  { namespace, watchers, count }: { namespace: string; watchers: number; count: number },
  work: () => Promise<void>,
): Promise<number> {
  const { metadata } = await client.list(CONFIG_MAP, { namespace, limit: 1 });
  const resourceVersion = metadata.resourceVersion ?? '';
  const opened: Promise<void>[] = [];
  const seen = Array.from({ length: watchers }, () => {
    const opening = signal();
    opened.push(opening.given);
    return watch(client, { namespace, resourceVersion, onOpen: opening.give }, count);
  });
  await Promise.all(opened);
  return rate(count, async () => {
    await work();
    await Promise.all(seen);
  });
}

async function watch(
  client: KubeClient,
  options: { namespace: string; resourceVersion: string; onOpen: () => void },
  count: number,
): Promise<void> {
  let left = count;
  for await (const { type } of client.watch(CONFIG_MAP, options)) {
    if (type !== 'BOOKMARK') left -= 1;
    if (left === 0) return;
  }
  throw new Error('a watch ended before it had told everything');
}

function signal(): { given: Promise<void>; give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

async function rate(count: number, work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return (count / (performance.now() - since)) * 1000;
}

async function inParallel(items: number[], work: (item: number) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function configMap({ namespace, name }: { namespace: string; name: string }, version: string): KubeObject {
  const data = { version, text: 'A line as there might be many.\n'.repeat(20) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, labels: { app: 'bench' } }, data };
}
