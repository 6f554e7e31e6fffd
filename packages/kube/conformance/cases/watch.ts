import { readLines } from '../../src/client/json-lines.ts';
import type { Body, ConformanceCase, Scene } from '../conformance-case.ts';
import { get, merge, pathsIn, post, remove } from '../requests.ts';
import { configMap } from './objects.ts';

const LONGEST_MS = 15_000;

/** Notes so many events, or those that came until it ended or nothing more came. */
async function watched(
  { client, note }: Scene,
  what: string,
  { path, count, during = async () => undefined }: { path: string; count: number; during?: () => Promise<unknown> },
): Promise<Body[]> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), LONGEST_MS);
  const events: Body[] = [];
  const answer = await client.raw('GET', path, { signal: ending.signal });
  const work = during();
  try {
    for await (const line of readLines(answer.body)) {
      events.push(JSON.parse(line));
      if (events.length === count) break;
    }
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    ending.abort();
    await work;
  }
  note(what, { status: answer.status, events: events.map(shortly) });
  return events;
}

function shortly({ type, object }: Body) {
  const { kind, metadata = {}, data, code, reason } = object;
  const bookmark = metadata.annotations?.['k8s.io/initial-events-end'];
  return {
    type,
    kind,
    ...(metadata.name !== undefined && { name: metadata.name }),
    ...(data && { data }),
    ...(code !== undefined && { code, reason }),
    ...(bookmark !== undefined && { bookmark }),
  };
}

const named = 'fieldSelector=metadata.name%21%3Dkube-root-ca.crt';

export const watch: ConformanceCase[] = [
  {
    name: 'changes are told in order from a list on',
    async run(scene) {
      const { send, namespace } = scene;
      const maps = pathsIn(namespace).core('configmaps');
      await send(post(maps, configMap('before')));
      const { body } = await send(get(maps));
      const version = body.metadata.resourceVersion;
      const events = await watched(scene, 'while it changes', {
        path: `${maps}?watch=true&resourceVersion=${version}&timeoutSeconds=20`,
        count: 4,
        during: async () => {
          await send(post(maps, configMap('a')));
          await send(merge(`${maps}/a`, { data: { key: 'two' } }));
          await send(remove(`${maps}/a`));
          await send(remove(`${maps}/before`));
        },
      });
      const second = events[1]?.object.metadata.resourceVersion;
      await watched(scene, 'resumed after the second', {
        path: `${maps}?watch=true&resourceVersion=${second}&timeoutSeconds=20`,
        count: 2,
      });
    },
  },
  {
    name: 'what is there comes first, then a bookmark',
    async run(scene) {
      const maps = pathsIn(scene.namespace).core('configmaps');
      for (const name of ['a', 'b']) await scene.send(post(maps, configMap(name)));
      const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      await watched(scene, 'streamed list', {
        path: `${maps}?watch=true&${initial}&timeoutSeconds=20&${named}`,
        count: 3,
      });
      await watched(scene, 'without a version', { path: `${maps}?watch=true&timeoutSeconds=20&${named}`, count: 2 });
    },
  },
  {
    name: 'a version that is no more',
    async run(scene) {
      const { ask, namespace } = scene;
      const maps = pathsIn(namespace).core('configmaps');
      await watched(scene, 'too old', { path: `${maps}?watch=true&resourceVersion=1&timeoutSeconds=20`, count: 1 });
      await ask('of nobody', get(`${maps}?watch=true&resourceVersion=nonsense`));
      await ask('a list of it', get(`${maps}?resourceVersion=nonsense`));
    },
  },
  {
    name: 'a selector decides what is told',
    async run(scene) {
      const { send, namespace } = scene;
      const maps = pathsIn(namespace).core('configmaps');
      const { body } = await send(get(maps));
      const version = body.metadata.resourceVersion;
      await watched(scene, 'by label', {
        path: `${maps}?watch=true&resourceVersion=${version}&labelSelector=app%3Dx&timeoutSeconds=20`,
        count: 3,
        during: async () => {
          await send(post(maps, configMap('other')));
          await send(post(maps, configMap('a', {}, { labels: { app: 'x' } })));
          await send(merge(`${maps}/a`, { metadata: { labels: { app: 'y' } } }));
          await send(merge(`${maps}/a`, { metadata: { labels: { app: 'x' } } }));
        },
      });
    },
  },
  {
    name: 'a watch ends in its time',
    async run(scene) {
      const maps = pathsIn(scene.namespace).core('configmaps');
      await watched(scene, 'of one second', { path: `${maps}?watch=true&timeoutSeconds=1&${named}`, count: 1 });
    },
  },
];
