import type { Deployment } from '@berth/core/deployment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORM_HOST, type Scene, startScene } from './testing/scene.ts';
import { publish, testTemplate } from './testing/templates.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
  await publish(scene.database, testTemplate('private', { exposure: undefined }));
  await publish(
    scene.database,
    testTemplate('two-doors', { extraExposures: [{ suffix: 'admin', service: 'web', port: 'http' }] }),
  );
});
afterAll(() => scene.end());

const refused = async (body: Record<string, unknown>, who = scene.owner) => {
  const answer = await scene.send(who, 'POST', '/api/deployments', { body: { team: who.teamId, ...body } });
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  const rows = await scene.database.query('select 1 from deployments where name = $1', [body.name]);
  expect(rows).toEqual([]);
  return answer.json();
};
const patch = (id: string, body: object) => scene.send(scene.owner, 'PATCH', `/api/deployments/${id}`, { body });
const claims = async (id: string) => {
  const rows = await scene.database.query<{ host: string }>(
    'select host from host_claims where deployment_id = $1 order by host',
    [id],
  );
  return rows.map(({ host }) => host);
};

describe('aliases', () => {
  it('are claimed in their one spelling and told with the main address first', async () => {
    const made = await scene.create({
      name: 'aliased',
      template: 'plain',
      aliases: ['Shop.Example.COM.', 'aaa', 'bücher.example'],
    });
    expect(made.aliases).toEqual(['shop.example.com', 'aaa.apps.test', 'xn--bcher-kva.example']);
    expect(made.addresses[0]).toEqual({
      host: 'aliased.apps.test',
      url: 'http://aliased.apps.test:7000',
      service: 'web',
    });
    expect(made.addresses).toHaveLength(4);
    expect(await claims(made.id)).toEqual([
      'aaa.apps.test',
      'aliased.apps.test',
      'shop.example.com',
      'xn--bcher-kva.example',
    ]);
  });

  it.each<[string, string[], number, string]>([
    ['twice in other spellings', ['twice.example.com', 'TWICE.example.com.'], 1, 'twice'],
    ['the main address again', ['refused'], 0, 'twice'],
    ['a wildcard', ['*.example.com'], 0, 'wildcard'],
    ['the platform’s own host', ['fine', PLATFORM_HOST], 1, 'platform'],
    ['what is no host', ['a b'], 0, 'not a host name'],
  ])('are refused: %s', async (_name, aliases, index, message) => {
    const problem = await refused({ name: 'refused', template: 'plain', aliases });
    expect(problem).toMatchObject({ code: 'invalid_input' });
    expect(problem.fields).toEqual([{ path: `aliases[${index}]`, message: expect.stringContaining(message) }]);
  });

  it('are refused where the template has no public address, and beyond five', async () => {
    expect((await refused({ name: 'none', template: 'private', aliases: ['x'] })).fields[0].path).toBe('aliases');
    const aliases = ['a', 'b', 'c', 'd', 'e', 'f'].map((each) => `${each}.example.com`);
    expect((await refused({ name: 'many', template: 'plain', aliases })).fields[0].path).toBe('aliases');
  });

  it('that another has are refused with a free one, and nothing of the deployment is left', async () => {
    await scene.create({ name: 'holder', template: 'plain', aliases: ['held'] }, scene.stranger);
    const problem = await refused({ name: 'wants', template: 'plain', aliases: ['ours', 'held'] });
    expect(problem).toMatchObject({ code: 'host_taken', suggestion: 'held-2', fields: [{ path: 'aliases[1]' }] });
    const preview = await scene.send(scene.owner, 'POST', '/api/deployments/preview', {
      body: { team: scene.owner.teamId, name: 'wants', template: 'plain', aliases: ['ours', 'held'] },
    });
    expect(preview.json()).toMatchObject({ code: 'host_taken', fields: [{ path: 'aliases[1]' }] });
    await scene.create({ name: 'ours', template: 'plain' }, scene.stranger);
  });

  it('case 7: asked for by two at the same instant go to one of them', async () => {
    const ask = (who: typeof scene.owner, name: string, aliases: string[]) =>
      scene.send(who, 'POST', '/api/deployments', { body: { team: who.teamId, name, template: 'plain', aliases } });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        ask(
          index % 2 ? scene.owner : scene.stranger,
          `race-${index}`,
          index % 2 ? ['left', 'right'] : ['right', 'left'],
        ),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('change with an edit: the new are taken, the old are free, and the summary says so', async () => {
    const made = await scene.create({ name: 'changes', template: 'plain', aliases: ['one', 'two'] });
    const changed: Deployment = (await patch(made.id, { aliases: ['two', 'three'] })).json();
    expect(changed).toMatchObject({ revision: 2, aliases: ['two.apps.test', 'three.apps.test'] });
    expect(await claims(made.id)).toEqual(['changes.apps.test', 'three.apps.test', 'two.apps.test']);
    await scene.create({ name: 'one', template: 'plain' }, scene.stranger);
    const revisions = (await scene.send(scene.owner, 'GET', `/api/deployments/${made.id}/revisions`)).json().items;
    expect(revisions[0].summary).toBe('alias one.apps.test removed, alias three.apps.test added');
    expect((await patch(made.id, { values: { title: 'B' } })).json().aliases).toHaveLength(2);
    expect((await patch(made.id, { aliases: ['one'] })).json()).toMatchObject({ code: 'host_taken' });
    expect((await patch(made.id, { aliases: [] })).json()).toMatchObject({ aliases: [] });
    expect(await claims(made.id)).toEqual(['changes.apps.test']);
  });
});

describe('further addresses of a template', () => {
  it('are claimed with the main one, move with it, and are refused when somebody has them', async () => {
    const made = await scene.create({ name: 'doors', template: 'two-doors' });
    expect(made.addresses.map(({ host }) => host)).toEqual(['doors.apps.test', 'doors-admin.apps.test']);
    expect(made.aliases).toEqual([]);
    await patch(made.id, { host: 'gates' });
    expect(await claims(made.id)).toEqual(['gates-admin.apps.test', 'gates.apps.test']);
    await scene.create({ name: 'walls-admin', template: 'plain' }, scene.stranger);
    const problem = await refused({ name: 'walls', template: 'two-doors' });
    expect(problem).toMatchObject({ code: 'host_taken', fields: [{ path: 'host' }] });
    expect(problem).not.toHaveProperty('suggestion');
    const long = await refused({ name: 'l'.repeat(60), template: 'two-doors' });
    expect(long.fields).toEqual([{ path: 'host', message: expect.stringContaining('shorter') }]);
  });
});
