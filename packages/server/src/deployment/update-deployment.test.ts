import type { Deployment, DeploymentRemoval } from '@berth/core/deployment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scene, type Send, startScene } from './testing/scene.ts';
import { publish, vaultTemplate } from './testing/templates.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.end());

const patch = (id: string, body: object, headers: Send['headers'] = {}) =>
  scene.send(scene.owner, 'PATCH', `/api/deployments/${id}`, { body, headers });
const post = (id: string, verb: string) => scene.send(scene.owner, 'POST', `/api/deployments/${id}/${verb}`);
const summaries = async (id: string): Promise<string[]> => {
  const answer = await scene.send(scene.owner, 'GET', `/api/deployments/${id}/revisions`);
  return answer.json().items.map((each: { summary: string }) => each.summary);
};
const specOf = async (id: string) => {
  const [row] = await scene.database.query<{ spec: { secretVersion?: string } }>(
    'select spec from deployments where id = $1',
    [id],
  );
  return row?.spec;
};
const secretOf = (id: string, key: string) =>
  scene.deps.secrets.get(scene.database, { teamId: scene.owner.teamId, path: id, key });

describe('an update', () => {
  it('makes a revision that says what changed, and none when nothing does', async () => {
    const made = await scene.create({ name: 'edit', template: 'plain', values: { title: 'A' } });
    const changed: Deployment = (await patch(made.id, { values: { title: 'B' } })).json();
    expect(changed).toMatchObject({ revision: 2, values: { title: 'B' }, phase: 'Updating' });
    const same: Deployment = (await patch(made.id, { values: { title: 'B' } })).json();
    expect(same.revision).toBe(2);
    await patch(made.id, { displayName: 'My site', host: 'moved' });
    expect(await summaries(made.id)).toEqual([
      'display name changed, address moved.apps.test',
      'title changed',
      'created from plain 1.0.0',
    ]);
  });

  it('is refused for who saw an older revision', async () => {
    const made = await scene.create({ name: 'matched', template: 'plain' });
    expect((await patch(made.id, { values: { title: 'B' } }, { 'if-match': '"1"' })).statusCode).toBe(200);
    const late = await patch(made.id, { values: { title: 'C' } }, { 'if-match': '"1"' });
    expect(late.json()).toMatchObject({ code: 'conflict', status: 409 });
    expect((await patch(made.id, { values: { title: 'C' } }, { 'if-match': 'what' })).statusCode).toBe(400);
    const got = await scene.send(scene.owner, 'GET', `/api/deployments/${made.id}`);
    expect(got.headers.etag).toBe('"2"');
  });

  it('keeps a secret that is left out or left empty, and takes a new one', async () => {
    const made = await scene.create({ name: 'kept', template: 'vault', values: { password: 'first' } });
    const generated = await secretOf(made.id, 'generated');
    await patch(made.id, { values: { title: 'B', password: '' } });
    expect(await secretOf(made.id, 'password')).toBe('first');
    expect(await specOf(made.id)).toMatchObject({ secretVersion: '1' });
    await patch(made.id, { values: { title: 'B', password: 'second $(A)' } });
    expect(await secretOf(made.id, 'password')).toBe('second $(A)');
    expect(await secretOf(made.id, 'generated')).toBe(generated);
    expect(await specOf(made.id)).toMatchObject({ secretVersion: '3' });
    expect((await summaries(made.id))[0]).toBe('password changed');
  });

  it('moves the host claim, and only when the new host is free', async () => {
    const made = await scene.create({ name: 'from', template: 'plain' });
    await scene.create({ name: 'held', template: 'plain' });
    expect((await patch(made.id, { host: 'held' })).json()).toMatchObject({ code: 'host_taken', suggestion: 'held-2' });
    expect((await patch(made.id, { host: 'to' })).json()).toMatchObject({ host: 'to.apps.test' });
    await scene.create({ name: 'from-again', template: 'plain', host: 'from' }, scene.stranger);
  });

  it('takes a new version, asks what it asks anew and generates what it can', async () => {
    const made = await scene.create({ name: 'versions', template: 'vault', values: { password: 'p' } });
    const next = vaultTemplate('1.1.0');
    next.spec.parameters?.push({ name: 'token', label: 'Token', type: 'secret', generate: { length: 16 } });
    next.spec.services[0]?.env?.push({ name: 'TOKEN', secretKey: 'token' });
    await publish(scene.database, next);
    const changed: Deployment = (await patch(made.id, { version: '1.1.0' })).json();
    expect(changed.template).toEqual({ name: 'vault', version: '1.1.0' });
    expect(await secretOf(made.id, 'token')).toMatch(/^\w{16}$/);
    expect((await summaries(made.id))[0]).toBe('version 1.1.0, token changed');
    await publish(scene.database, vaultTemplate());
  });

  it('refuses to lose or shrink a volume', async () => {
    const made = await scene.create({ name: 'volumes', template: 'vault', values: { password: 'p' } });
    const without = vaultTemplate('2.0.0');
    for (const service of without.spec.services) delete service.volumes;
    await publish(scene.database, without);
    const lost = await patch(made.id, { version: '2.0.0' });
    expect(lost.json()).toMatchObject({
      code: 'invalid_input',
      fields: [{ message: expect.stringContaining('lost') }],
    });
    const smaller = vaultTemplate('2.0.1');
    for (const volume of smaller.spec.services[0]?.volumes ?? []) volume.size = '100Mi';
    await publish(scene.database, smaller);
    expect((await patch(made.id, { version: '2.0.1' })).json().fields[0].message).toContain('cannot shrink');
    await publish(scene.database, vaultTemplate());
  });

  it('is refused while another is made at the same revision: of ten at once one wins', async () => {
    const made = await scene.create({ name: 'crowd', template: 'plain' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => patch(made.id, { values: { title: `t${index}` } }, { 'if-match': '1' })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(9);
  });
});

describe('stop, start and restart', () => {
  it('change what is wanted, once', async () => {
    const made = await scene.create({ name: 'cycle', template: 'plain' });
    expect((await post(made.id, 'stop')).json()).toMatchObject({ desired: 'stopped', revision: 2 });
    expect((await post(made.id, 'stop')).json()).toMatchObject({ revision: 2 });
    expect(await specOf(made.id)).toMatchObject({ desired: 'stopped' });
    expect((await post(made.id, 'restart')).json()).toMatchObject({ code: 'conflict' });
    // A change leaves it stopped.
    expect((await patch(made.id, { values: { title: 'x' } })).json()).toMatchObject({
      desired: 'stopped',
      revision: 3,
    });
    expect((await post(made.id, 'start')).json()).toMatchObject({ desired: 'running', revision: 4 });
    expect((await post(made.id, 'restart')).json()).toMatchObject({ revision: 5 });
    expect(await specOf(made.id)).toHaveProperty('restartedAt');
    expect(await summaries(made.id)).toEqual(expect.arrayContaining(['restarted', 'started', 'stopped']));
  });

  it('honour an Idempotency-Key: a retried restart restarts once', async () => {
    const made = await scene.create({ name: 'retry', template: 'plain' });
    const restart = () =>
      scene.send(scene.owner, 'POST', `/api/deployments/${made.id}/restart`, { headers: { 'idempotency-key': 'r1' } });
    const [one, two] = [await restart(), await restart()];
    expect(two.json()).toEqual(one.json());
    expect(await summaries(made.id)).toEqual(['restarted', 'created from plain 1.0.0']);
  });
});

describe('a delete', () => {
  it('is told before what it takes', async () => {
    const made = await scene.create({ name: 'going', template: 'vault', values: { password: 'p' } });
    const removal: DeploymentRemoval = (
      await scene.send(scene.owner, 'GET', `/api/deployments/${made.id}/removal`)
    ).json();
    const kinds = removal.items.map(({ kind, name }) => `${kind} ${name}`);
    expect(kinds).toEqual([
      'volume data',
      'service web',
      'secret generated',
      'secret key',
      'secret optional',
      'secret password',
      'address going.apps.test',
      'history going',
    ]);
  });

  it('marks the deployment, takes no more changes and is the same when sent again', async () => {
    const made = await scene.create({ name: 'gone', template: 'plain' });
    const remove = () => scene.send(scene.owner, 'DELETE', `/api/deployments/${made.id}`);
    const answer = await remove();
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({ desired: 'deleted', phase: 'Deleting' });
    expect((await remove()).json()).toEqual(answer.json());
    expect((await patch(made.id, { values: {} })).json()).toMatchObject({ code: 'conflict' });
    const taken = await scene.send(scene.owner, 'POST', '/api/deployments', {
      body: { team: scene.owner.teamId, name: 'gone', template: 'plain' },
    });
    expect(taken.json()).toMatchObject({ code: 'name_taken', detail: expect.stringContaining('being deleted') });
  });
});

describe('lists', () => {
  it('filter, and go on from page to page without gap or repeat', async () => {
    for (const name of ['list-a', 'list-b', 'list-c', 'list-d', 'list-e'])
      await scene.create({ name, template: 'plain' });
    const get = async (query: string) =>
      (await scene.send(scene.owner, 'GET', `/api/deployments?team=${scene.owner.teamId}&${query}`)).json();
    const names: string[] = [];
    for (let cursor = ''; ; ) {
      const { items, next } = await get(`q=list-&limit=2${cursor}`);
      names.push(...items.map((each: Deployment) => each.name));
      if (!next) break;
      cursor = `&cursor=${next}`;
    }
    expect(names).toEqual(['list-a', 'list-b', 'list-c', 'list-d', 'list-e']);
    expect((await get('name=list-c')).items).toHaveLength(1);
    expect((await get('q=%25')).items).toHaveLength(0);
    expect((await get('q=list-&phase=Running')).items).toHaveLength(0);
  });

  it('give activity newest first, of a team and of one deployment', async () => {
    const made = await scene.create({ name: 'told', template: 'plain' });
    await patch(made.id, { values: { title: 'x' } });
    const own = (await scene.send(scene.owner, 'GET', `/api/deployments/${made.id}/activity?limit=1`)).json();
    expect(own.items).toMatchObject([{ kind: 'changed', deployment: 'told', by: scene.owner.email }]);
    const older = (
      await scene.send(scene.owner, 'GET', `/api/deployments/${made.id}/activity?cursor=${own.next}`)
    ).json();
    expect(older.items).toMatchObject([{ kind: 'created' }]);
    const team = (await scene.send(scene.owner, 'GET', `/api/activity?team=${scene.owner.teamId}&limit=2`)).json();
    expect(team.items.map((each: { kind: string }) => each.kind)).toEqual(['changed', 'created']);
  });

  it('tell what the team uses of its plan', async () => {
    const answer = await scene.send(scene.owner, 'GET', `/api/teams/${scene.owner.teamId}/usage`);
    expect(answer.json()).toMatchObject({ plan: 'business', deployments: { allowed: 25 }, cpu: { allowed: 16 } });
    expect(answer.json().storage.used).toBeGreaterThan(0);
  });
});

it('an adopted deployment without a template keeps its spec and takes its secrets', async () => {
  const made = await scene.create({ name: 'bare', template: 'vault', values: { password: 'p' } });
  await scene.database.execute("update deployments set template_name = null, spec = spec - 'template' where id = $1", [
    made.id,
  ]);
  expect((await patch(made.id, { values: { password: 'new' } })).json()).toMatchObject({ revision: 2 });
  expect(await secretOf(made.id, 'password')).toBe('new');
  expect((await patch(made.id, { values: { title: 'x' } })).json()).toMatchObject({
    fields: [{ path: 'values.title' }],
  });
  expect((await patch(made.id, { version: '1.0.0' })).json()).toMatchObject({ fields: [{ path: 'version' }] });
  expect((await patch(made.id, { host: 'bare-moved' })).json()).toMatchObject({ host: 'bare-moved.apps.test' });
  expect(await specOf(made.id)).toMatchObject({ exposure: [{ host: 'bare-moved.apps.test' }] });
});
