import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scene, startScene } from './testing/scene.ts';
import { publish, testTemplate } from './testing/templates.ts';

/** The Free plan: 2 cores, 2 GiB of memory, 5 GiB of storage. */
let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ plan: 'free' });
  const [web] = testTemplate('x').spec.services;
  const sized = (size: string) =>
    testTemplate(size, {
      parameters: [
        { name: 'title', label: 'Title', type: 'text', default: 'Hello' },
        { name: 'storage', label: 'Storage', type: 'number', default: 1 },
      ],
      services: [
        { ...web, name: 'web', image: 'i', resources: { requests: { cpu: '500m', memory: '256Mi' } } },
        {
          name: 'db',
          image: 'i',
          volumes: [{ name: 'data', mountPath: '/data', size: `\${{ parameters.storage }}Gi` }],
        },
      ],
    });
  await publish(scene.database, sized('sized'));
});
afterAll(() => scene.end());

const post = (id: string, verb: string, body?: object) =>
  scene.send(scene.owner, 'POST', `/api/deployments/${id}/${verb}`, { body });
const limit = (answer: LightMyRequestResponse) => {
  const { code, limit: found } = answer.json();
  return code === 'limit_reached' ? found : `answered ${answer.statusCode}`;
};

describe("the plan's resources", () => {
  it('hold for creating, scaling, editing, cloning, starting and rolling back alike, and for nothing that takes less', async () => {
    const first = await scene.create({ name: 'first', template: 'sized' });
    expect(first.services[0]?.requests).toEqual({ cpu: 0.5, memory: 256 * 2 ** 20 });
    expect((await post(first.id, 'scale', { service: 'web', replicas: 3 })).statusCode).toBe(200);
    // 1.5 cores by now and 0.05 for the database.
    expect(limit(await post(first.id, 'scale', { service: 'web', replicas: 4 }))).toEqual({
      resource: 'cpu',
      used: 1.55,
      allowed: 2,
    });
    const body = { team: scene.owner.teamId, name: 'second', template: 'sized' };
    expect(limit(await scene.send(scene.owner, 'POST', '/api/deployments', { body }))).toMatchObject({
      resource: 'cpu',
    });
    expect(limit(await scene.send(scene.owner, 'POST', '/api/deployments/preview', { body }))).toMatchObject({
      resource: 'cpu',
    });
    expect(limit(await post(first.id, 'clone', { name: 'second' }))).toMatchObject({ resource: 'cpu' });
    expect((await post(first.id, 'scale', { service: 'web', replicas: 1 })).statusCode).toBe(200);
    const second = await scene.create({ name: 'second', template: 'sized' });
    expect((await post(second.id, 'scale', { service: 'web', replicas: 2 })).statusCode).toBe(200);
    expect(limit(await post(first.id, 'rollback', { revision: 2 }))).toMatchObject({ resource: 'cpu' });
    await post(first.id, 'stop');
    expect((await post(second.id, 'scale', { service: 'web', replicas: 3 })).statusCode).toBe(200);
    expect(limit(await post(first.id, 'start'))).toMatchObject({ resource: 'cpu', used: 1.55 });
    const grow = await scene.send(scene.owner, 'PATCH', `/api/deployments/${second.id}`, {
      body: { values: { storage: 9 } },
    });
    expect(limit(grow)).toMatchObject({ resource: 'storage', used: 2 * 2 ** 30, allowed: 5 * 2 ** 30 });
  });

  it('do not stand in the way of what was there before the plan shrank', async () => {
    await scene.database.execute("update organizations set plan = 'enterprise' where id = $1", [
      scene.owner.organizationId,
    ]);
    const large = await scene.create({ name: 'large', template: 'sized' });
    await post(large.id, 'scale', { service: 'web', replicas: 9 });
    await scene.database.execute("update organizations set plan = 'free' where id = $1", [scene.owner.organizationId]);
    const edit = { body: { values: { title: 'Still mine' } } };
    expect((await scene.send(scene.owner, 'PATCH', `/api/deployments/${large.id}`, edit)).statusCode).toBe(200);
    expect((await post(large.id, 'scale', { service: 'web', replicas: 8 })).statusCode).toBe(200);
    expect(limit(await post(large.id, 'scale', { service: 'web', replicas: 9 }))).toMatchObject({ resource: 'cpu' });
  });
});
