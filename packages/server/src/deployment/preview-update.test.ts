import type { UpdatePreview } from '@berth/core/deployment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scene, startScene } from './testing/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.end());

const preview = (id: string, body: object) =>
  scene.send(scene.owner, 'POST', `/api/deployments/${id}/preview`, { body });
const revisionOf = async (id: string): Promise<number> =>
  (await scene.send(scene.owner, 'GET', `/api/deployments/${id}`)).json().revision;

describe('a preview of a change', () => {
  it('says what would be different and which services get new pods, and changes nothing', async () => {
    const made = await scene.create({ name: 'preview', template: 'plain', values: { title: 'A' } });
    const answer = await preview(made.id, { values: { title: 'B' } });
    expect(answer.statusCode).toBe(200);
    const seen: UpdatePreview = answer.json();
    expect(seen.changes).toContainEqual(expect.objectContaining({ subject: 'Values', before: 'A', after: 'B' }));
    expect(seen.rolls).toEqual(made.services.map((each) => each.name));
    expect(seen.replaces).toEqual([]);
    expect(await revisionOf(made.id)).toBe(1);
    const revisions = await scene.send(scene.owner, 'GET', `/api/deployments/${made.id}/revisions`);
    expect(revisions.json().items).toHaveLength(1);
  });

  it('is empty when nothing would be different', async () => {
    const made = await scene.create({ name: 'same', template: 'plain', values: { title: 'A' } });
    expect((await preview(made.id, { values: { title: 'A' } })).json()).toEqual({
      changes: [],
      rolls: [],
      replaces: [],
      warnings: [],
    });
  });

  it('names no service for a change that pods do not notice', async () => {
    const made = await scene.create({ name: 'named', template: 'plain' });
    const seen: UpdatePreview = (await preview(made.id, { displayName: 'My site' })).json();
    expect(seen).toMatchObject({ rolls: [], replaces: [] });
    expect(seen.changes).toHaveLength(1);
  });

  it('announces that a service with a volume will be down', async () => {
    const made = await scene.create({ name: 'down', template: 'vault', values: { password: 'first' } });
    const keeping = made.services.filter((each) => each.volumes.length > 0).map((each) => each.name);
    const seen: UpdatePreview = (await preview(made.id, { values: { title: 'B', password: 'second' } })).json();
    expect(seen.replaces).toEqual(keeping);
    expect(JSON.stringify(seen)).not.toContain('second');
    expect(
      await scene.deps.secrets.get(scene.database, { teamId: scene.owner.teamId, path: made.id, key: 'password' }),
    ).toBe('first');
  });

  it('is refused as the change would be: a host that is taken, and it stays free for others when it was not', async () => {
    const made = await scene.create({ name: 'mine', template: 'plain' });
    await scene.create({ name: 'theirs', template: 'plain' });
    expect((await preview(made.id, { aliases: ['theirs'] })).json()).toMatchObject({ code: 'host_taken' });
    expect((await preview(made.id, { aliases: ['free-one'] })).statusCode).toBe(200);
    await scene.create({ name: 'free-one', template: 'plain' });
  });
});
