import type { Deployment } from '@berth/core/deployment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renamedSpec } from './renamed-spec.ts';
import { type Scene, type Send, startScene } from './testing/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ plan: 'free' });
});
afterAll(() => scene.end());

const clone = (id: string, body: object, headers: Send['headers'] = {}) =>
  scene.send(scene.owner, 'POST', `/api/deployments/${id}/clone`, { body, headers });
const secretOf = (id: string, key: string) =>
  scene.deps.secrets.get(scene.database, { teamId: scene.owner.teamId, path: id, key });
const drop = async (id: string) => {
  await scene.database.execute('delete from deployments where id = $1', [id]);
};

describe('a clone', () => {
  it('has the values, secrets and number of pods of the other, an address of its own and no alias', async () => {
    const source = await scene.create({
      name: 'source',
      template: 'vault',
      values: { title: 'T', password: 'copied $(A)' },
      aliases: ['source.example.com'],
    });
    await scene.send(scene.owner, 'POST', `/api/deployments/${source.id}/scale`, {
      body: { service: 'web', replicas: 0 },
    });
    await scene.send(scene.owner, 'POST', `/api/deployments/${source.id}/pause`);
    const key = { 'idempotency-key': 'clone-1' };
    const answer = await clone(source.id, { name: 'copy', displayName: 'Copy' }, key);
    expect(answer.statusCode).toBe(201);
    const copy: Deployment = answer.json();
    expect(copy).toMatchObject({
      name: 'copy',
      displayName: 'Copy',
      host: 'copy.apps.test',
      aliases: [],
      paused: false,
      desired: 'running',
      values: { title: 'T' },
      template: source.template,
      services: [{ desired: 0 }],
    });
    expect(copy.secrets.every(({ set }) => set)).toBe(true);
    for (const name of ['password', 'generated', 'optional', 'key']) {
      expect(await secretOf(copy.id, name)).toBe(await secretOf(source.id, name));
    }
    expect((await clone(source.id, { name: 'copy', displayName: 'Copy' }, key)).json().id).toBe(copy.id);
    expect(answer.body).not.toContain('copied');
    await drop(copy.id);
    await drop(source.id);
  });

  it('takes a slot of the plan, a free name and a free host, or nothing at all', async () => {
    const source = await scene.create({ name: 'first', template: 'plain' });
    expect((await clone(source.id, { name: 'first' })).json()).toMatchObject({
      code: 'name_taken',
      suggestion: 'first-2',
    });
    await scene.create({ name: 'held-host', template: 'plain' }, scene.stranger);
    expect((await clone(source.id, { name: 'held-host' })).json()).toMatchObject({ code: 'host_taken' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => clone(source.id, { name: `clone-${index}` })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(2);
    const rejected = answers.find(({ statusCode }) => statusCode !== 201);
    expect(rejected?.json()).toMatchObject({ code: 'limit_reached', limit: { used: 3, allowed: 3 } });
    const foreign = await scene.send(scene.stranger, 'POST', `/api/deployments/${source.id}/clone`, {
      body: { name: 'x' },
    });
    expect(foreign.statusCode).toBe(404);
  });
});

describe('a spec under another name', () => {
  it('names its own services anew, in whole words only', () => {
    const spec = renamedSpec(
      {
        services: [
          {
            name: 'web',
            image: 'i',
            env: [
              { name: 'HOST', value: 'shop-db' },
              { name: 'URL', value: 'postgres://shop-db:5432/my-shop-db,http://shop-db-2' },
              { name: 'KEY', secretKey: 'shop-db' },
            ],
            files: [{ path: '/a', content: 'host=shop-db\n' }],
          },
          { name: 'db', image: 'i' },
        ],
        jobs: [{ name: 'migrate', image: 'i', args: ['--host', 'shop-db'] }],
      },
      { from: 'shop', to: 'copy' },
    );
    expect(spec.services[0]?.env).toEqual([
      { name: 'HOST', value: 'copy-db' },
      { name: 'URL', value: 'postgres://copy-db:5432/my-shop-db,http://shop-db-2' },
      { name: 'KEY', secretKey: 'shop-db' },
    ]);
    expect(spec.services[0]?.files).toEqual([{ path: '/a', content: 'host=copy-db\n' }]);
    expect(spec.jobs?.[0]?.args).toEqual(['--host', 'copy-db']);
  });
});
