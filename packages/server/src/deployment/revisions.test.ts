import type { Deployment, Revision, RevisionDetail } from '@berth/core/deployment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scene, type Send, startScene } from './testing/scene.ts';
import { publish, testTemplate, vaultTemplate } from './testing/templates.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.end());

const url = (id: string, path = '') => `/api/deployments/${id}${path}`;
const patch = async (id: string, body: object): Promise<Deployment> =>
  (await scene.send(scene.owner, 'PATCH', url(id), { body })).json();
const post = (id: string, verb: string, body?: object, headers: Send['headers'] = {}) =>
  scene.send(scene.owner, 'POST', url(id, `/${verb}`), { body, headers });
const revisions = async (id: string): Promise<Revision[]> =>
  (await scene.send(scene.owner, 'GET', url(id, '/revisions'))).json().items;
const revision = async (id: string, number: number, against?: number): Promise<RevisionDetail> => {
  const query = against === undefined ? '' : `?against=${against}`;
  return (await scene.send(scene.owner, 'GET', url(id, `/revisions/${number}${query}`))).json();
};
const specOf = async (id: string) => {
  const [row] = await scene.database.query<{ spec: { services: { name: string; replicas?: number }[] } }>(
    'select spec from deployments where id = $1',
    [id],
  );
  return row?.spec;
};

describe('a revision', () => {
  it('tells what it changed, with the labels of the form and without values of secrets', async () => {
    const made = await scene.create({ name: 'told', template: 'vault', values: { password: 'first-secret' } });
    await patch(made.id, { values: { title: 'B', password: 'second-secret' }, displayName: 'Told' });
    const detail = await revision(made.id, 2);
    expect(detail).toMatchObject({ revision: 2, against: 1, current: true, serving: false, outcome: 'pending' });
    expect(detail.changes).toEqual([
      { subject: 'Deployment', field: 'display name', after: 'Told' },
      { subject: 'Values', field: 'Title', before: 'Hello', after: 'B' },
      { subject: 'Values', field: 'Password', before: 'set', after: 'new value' },
      { subject: 'web', field: 'environment TITLE', before: 'Hello', after: 'B' },
    ]);
    expect(JSON.stringify(detail)).not.toContain('-secret');
    expect((await revision(made.id, 1)).changes).toEqual([]);
  });

  it('is compared with any other, forwards and backwards', async () => {
    const made = await scene.create({ name: 'compared', template: 'plain', values: { title: 'A' } });
    await patch(made.id, { values: { title: 'B' } });
    await patch(made.id, { values: { title: 'C' } });
    const titles = (detail: RevisionDetail) => detail.changes.filter(({ subject }) => subject === 'Values');
    expect(titles(await revision(made.id, 3, 1))).toEqual([
      { subject: 'Values', field: 'Title', before: 'A', after: 'C' },
    ]);
    expect(titles(await revision(made.id, 1, 3))).toEqual([
      { subject: 'Values', field: 'Title', before: 'C', after: 'A' },
    ]);
    const missing = await scene.send(scene.owner, 'GET', url(made.id, '/revisions/9'));
    expect(missing.json()).toMatchObject({ code: 'not_found', detail: expect.stringContaining('revision 9') });
  });

  it('that a later one overtook is told as replaced', async () => {
    const made = await scene.create({ name: 'overtaken', template: 'plain' });
    await patch(made.id, { values: { title: 'B' } });
    expect((await revisions(made.id)).map(({ outcome, current }) => [outcome, current])).toEqual([
      ['pending', true],
      ['replaced', false],
    ]);
  });
});

describe('a rollback', () => {
  it('brings back spec, values, version and number of pods, as a new revision', async () => {
    await publish(scene.database, testTemplate('rolled'));
    const made = await scene.create({ name: 'back', template: 'rolled', values: { title: 'A' } });
    await post(made.id, 'scale', { service: 'web', replicas: 3 });
    await publish(scene.database, testTemplate('rolled', { version: '1.1.0' }));
    await patch(made.id, { version: '1.1.0', values: { title: 'B' } });
    await post(made.id, 'scale', { service: 'web', replicas: 1 });
    const answer = await post(made.id, 'rollback', { revision: 2 });
    expect(answer.json()).toMatchObject({ revision: 5, values: { title: 'A' }, template: { version: '1.0.0' } });
    expect(await specOf(made.id)).toMatchObject({ services: [{ name: 'web', replicas: 3 }] });
    expect((await revisions(made.id))[0]).toMatchObject({ summary: 'rolled back to 2', by: scene.owner.email });
    expect((await revision(made.id, 5, 2)).changes).toEqual([]);
    expect((await post(made.id, 'rollback', { revision: 2 })).json()).toMatchObject({ revision: 5 });
  });

  it('keeps today’s secrets and whether it runs, and honours If-Match', async () => {
    const made = await scene.create({ name: 'kept-back', template: 'vault', values: { password: 'first' } });
    await patch(made.id, { values: { title: 'B', password: 'second' } });
    await post(made.id, 'stop');
    expect((await post(made.id, 'rollback', { revision: 1 }, { 'if-match': '"2"' })).statusCode).toBe(409);
    const back: Deployment = (await post(made.id, 'rollback', { revision: 1 }, { 'if-match': '"3"' })).json();
    expect(back).toMatchObject({ desired: 'stopped', values: { title: 'Hello' } });
    const owner = { teamId: scene.owner.teamId, path: made.id };
    expect(await scene.deps.secrets.get(scene.database, { ...owner, key: 'password' })).toBe('second');
    expect(await specOf(made.id)).toMatchObject({ desired: 'stopped', secretVersion: '2' });
  });

  it('is refused to what is wanted already, to what never was, and by whoever may only look', async () => {
    const made = await scene.create({ name: 'refused', template: 'plain' });
    expect((await post(made.id, 'rollback', { revision: 1 })).json()).toMatchObject({ code: 'conflict' });
    expect((await post(made.id, 'rollback', { revision: 7 })).statusCode).toBe(404);
    expect((await post(made.id, 'rollback', { revision: 0 })).statusCode).toBe(400);
    const foreign = await scene.send(scene.stranger, 'POST', url(made.id, '/rollback'), { body: { revision: 1 } });
    expect(foreign.statusCode).toBe(404);
  });

  it('is refused where a volume would be lost or a secret has no value, by name, and then nothing has changed', async () => {
    const made = await scene.create({ name: 'lost', template: 'vault', values: { password: 'p' } });
    const more = vaultTemplate('3.0.0');
    more.spec.services[0]?.volumes?.push({ name: 'more', mountPath: '/more', size: '1Gi' });
    await publish(scene.database, more);
    await patch(made.id, { version: '3.0.0' });
    const lost = await post(made.id, 'rollback', { revision: 1 });
    expect(lost.json().fields).toEqual([
      { path: 'services.web.volumes.more', message: expect.stringContaining('lost') },
    ]);
    await patch(made.id, { displayName: 'Other' });
    await scene.database.execute("delete from secrets where path = $1 and key = 'password'", [made.id]);
    const keyless = await post(made.id, 'rollback', { revision: 2 });
    expect(keyless.json().fields).toEqual([
      { path: 'secrets.password', message: expect.stringContaining('has no value any more') },
    ]);
    expect(await revisions(made.id)).toHaveLength(3);
    await publish(scene.database, vaultTemplate());
  });

  it('is refused when somebody else has its address by now, and keeps its own', async () => {
    const made = await scene.create({ name: 'mover', template: 'plain', host: 'first-home' });
    await patch(made.id, { host: 'second-home' });
    await scene.create({ name: 'taker', template: 'plain', host: 'first-home' }, scene.stranger);
    const answer = await post(made.id, 'rollback', { revision: 1 });
    expect(answer.json()).toMatchObject({
      code: 'host_taken',
      detail: expect.stringContaining('first-home.apps.test'),
    });
    const claims = await scene.database.query('select host from host_claims where deployment_id = $1', [made.id]);
    expect(claims).toEqual([{ host: 'second-home.apps.test' }]);
  });
});

describe('scaling', () => {
  it('holds over later edits, and says so once', async () => {
    const made = await scene.create({ name: 'scaled', template: 'plain' });
    const scaled: Deployment = (await post(made.id, 'scale', { service: 'web', replicas: 4 })).json();
    expect(scaled.services[0]).toMatchObject({ name: 'web', desired: 4 });
    expect((await post(made.id, 'scale', { service: 'web', replicas: 4 })).json()).toMatchObject({ revision: 2 });
    await patch(made.id, { values: { title: 'B' } });
    expect(await specOf(made.id)).toMatchObject({ services: [{ replicas: 4 }] });
    expect((await revisions(made.id)).map(({ summary }) => summary)).toEqual([
      'title changed',
      'web scaled to 4',
      'created from plain 1.0.0',
    ]);
  });

  it('is refused for what is not there, too many, and a service with a volume', async () => {
    const made = await scene.create({ name: 'unscaled', template: 'vault', values: { password: 'p' } });
    const fieldOf = async (body: object) => (await post(made.id, 'scale', body)).json().fields[0];
    expect(await fieldOf({ service: 'nope', replicas: 2 })).toMatchObject({ path: 'service' });
    expect(await fieldOf({ service: 'web', replicas: 101 })).toMatchObject({ path: 'replicas' });
    expect(await fieldOf({ service: 'web', replicas: 2 })).toMatchObject({
      path: 'replicas',
      message: expect.stringContaining('volume'),
    });
    expect((await post(made.id, 'scale', { service: 'web', replicas: 0 })).statusCode).toBe(200);
  });
});

describe('pause and resume', () => {
  it('are revisions, and what is edited between them keeps waiting', async () => {
    const made = await scene.create({ name: 'paused', template: 'plain' });
    expect((await post(made.id, 'pause')).json()).toMatchObject({ paused: true, revision: 2 });
    expect((await post(made.id, 'pause')).json()).toMatchObject({ revision: 2 });
    expect(await patch(made.id, { values: { title: 'B' } })).toMatchObject({ paused: true, phase: 'Pending' });
    expect(await specOf(made.id)).toMatchObject({ paused: true });
    expect((await post(made.id, 'resume')).json()).toMatchObject({ paused: false, revision: 4, phase: 'Updating' });
    expect(await specOf(made.id)).not.toHaveProperty('paused');
  });
});

describe('a restart', () => {
  it('of one service leaves the others, holds over an edit, and is refused for a service that is not there', async () => {
    const made = await scene.create({ name: 'restarted', template: 'plain' });
    expect((await post(made.id, 'restart', { service: 'web' })).json()).toMatchObject({ revision: 2 });
    await patch(made.id, { values: { title: 'B' } });
    expect(await specOf(made.id)).toMatchObject({ services: [{ restartedAt: expect.any(String) }] });
    expect(await specOf(made.id)).not.toHaveProperty('restartedAt');
    expect((await post(made.id, 'restart', { service: 'db' })).json().fields[0].path).toBe('service');
    expect((await post(made.id, 'restart')).json()).toMatchObject({ revision: 4 });
  });
});
