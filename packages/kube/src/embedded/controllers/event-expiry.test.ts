import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT } from '../../schema/resources.ts';
import { type EmbeddedScene, startEmbeddedScene } from '../testing/embedded-scene.ts';
import { removeOldEvents } from './event-expiry.ts';

let scene: EmbeddedScene;
beforeAll(async () => {
  scene = await startEmbeddedScene();
});
afterAll(() => scene.end());

describe('events', () => {
  it('go an hour after they were last told', async () => {
    const now = Date.parse('2026-01-01T12:00:00Z');
    const event = (name: string, lastTimestamp: string, firstTimestamp = lastTimestamp) =>
      scene.client.create(EVENT, {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace: 'default' },
        involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
        reason: 'Started',
        type: 'Normal',
        firstTimestamp,
        lastTimestamp,
      });
    await event('old', '2026-01-01T10:59:59Z');
    await event('again', '2026-01-01T11:30:00Z', '2026-01-01T01:00:00Z');
    await event('new', '2026-01-01T11:59:59Z');
    await removeOldEvents(scene.client, now);
    const { items } = await scene.client.list(EVENT, { namespace: 'default' });
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(['again', 'new']);
  });
});
