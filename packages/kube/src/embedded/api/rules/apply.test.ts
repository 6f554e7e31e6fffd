import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../schema/object.ts';
import { RESOURCE_QUOTA } from '../../../schema/resources.ts';
import { type EmbeddedScene, startEmbeddedScene } from '../../testing/embedded-scene.ts';

let scene: EmbeddedScene;
beforeAll(async () => {
  scene = await startEmbeddedScene();
});
afterAll(() => scene.end());

type Quota = KubeObject & { spec?: { hard?: Record<string, string> } };

/** What its limits are after somebody has applied these. */
async function applied(name: string, manager: string, hard: Record<string, string> | undefined): Promise<object> {
  const metadata = { name, namespace: 'default' };
  const object = { apiVersion: 'v1', kind: 'ResourceQuota', metadata, ...(hard && { spec: { hard } }) };
  await scene.client.apply(RESOURCE_QUOTA, object, { fieldManager: manager, force: true });
  const { spec } = await scene.client.get<Quota>(RESOURCE_QUOTA, metadata);
  return spec?.hard ?? {};
}

describe('server-side apply of a map', () => {
  it('fills one that its manager had left empty', async () => {
    expect(await applied('filled', 'one', {})).toEqual({});
    expect(await applied('filled', 'one', { pods: '1' })).toEqual({ pods: '1' });
    expect(await applied('filled', 'one', {})).toEqual({});
    expect(await applied('filled', 'one', { pods: '2' })).toEqual({ pods: '2' });
  });

  it('leaves what others put into one that its manager no longer speaks of', async () => {
    await applied('shared', 'one', {});
    await applied('shared', 'two', { pods: '1' });
    expect(await applied('shared', 'one', undefined)).toEqual({ pods: '1' });
  });
});
