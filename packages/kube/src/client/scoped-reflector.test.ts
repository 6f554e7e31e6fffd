import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedScene, startEmbeddedScene } from '../embedded/testing/embedded-scene.ts';
import { CONFIG_MAP, NAMESPACE } from '../schema/resources.ts';
import type { ListOptions } from './client.ts';
import { createScopedReflector } from './scoped-reflector.ts';
import { createSilentLogger } from './testing/silent-logger.ts';
import { until } from './testing/until.ts';

let scene: EmbeddedScene;
beforeAll(async () => {
  scene = await startEmbeddedScene();
  for (const name of ['mine', 'also-mine', 'foreign']) {
    await scene.client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
});
afterAll(() => scene.end());

const put = (namespace: string, name: string) =>
  scene.client.create(CONFIG_MAP, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name } });

describe('a reflector of some namespaces', () => {
  it('shows them as one copy, and asks for nothing of others', async () => {
    const asked: (string | undefined)[] = [];
    const client = {
      watch: scene.client.watch,
      list: (type: typeof CONFIG_MAP, options?: ListOptions) => {
        asked.push(options?.namespace);
        return scene.client.list<never>(type, options);
      },
    };
    const indexers = { all: () => ['yes'] };
    const common = { client, type: CONFIG_MAP, logger: createSilentLogger(), indexers };
    const reflector = createScopedReflector({ ...common, namespaces: ['mine', 'also-mine', 'mine'] });
    const told: string[] = [];
    reflector.onChange('test', ({ type, object }) => told.push(`${type} ${object.metadata.name}`));
    await put('mine', 'first');
    await put('foreign', 'unseen');
    reflector.start();
    await reflector.synced;
    await put('also-mine', 'second');
    await until(() => reflector.get('also-mine/second') !== undefined);
    await scene.client.delete(CONFIG_MAP, { namespace: 'mine', name: 'first' });
    await until(() => reflector.get('mine/first') === undefined);
    expect(asked.sort()).toEqual(['also-mine', 'mine']);
    expect(told).toEqual(['added first', 'added second', 'deleted first']);
    expect(reflector.byIndex('all', 'yes').map(({ metadata }) => metadata.name)).toEqual(['second']);
    expect(reflector.get('foreign/unseen')).toBeUndefined();
    expect([reflector.hasSynced(), reflector.healthy(), reflector.staleSince()]).toEqual([true, true, undefined]);
    await reflector.stop();
  });

  it('follows the namespaces themselves by name', async () => {
    const common = { client: scene.client, type: NAMESPACE, logger: createSilentLogger() };
    const reflector = createScopedReflector({ ...common, namespaces: ['mine'] });
    reflector.start();
    await reflector.synced;
    expect(reflector.list().map(({ metadata }) => metadata.name)).toEqual(['mine']);
    expect(reflector.get('mine')).toBeDefined();
    await reflector.stop();
  });
});
