import type { TemplateDetail, TemplateSummary } from '@berth/core/routes/template-routes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scene, startScene } from '../deployment/testing/scene.ts';
import { createTenant, joinTeam } from '../testing/tenants.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.end());

const source = ({ name = 'ours', version = '1.0.0', label = 'Title', more = '' } = {}) => `# Written by hand.
apiVersion: berth.dev/v1alpha1
kind: Template
metadata:
  name: ${name}
spec:
  kind: deployment
  version: ${version}
  displayName: Ours
  description: What the team wrote.
  category: app
  parameters:
    - { name: title, label: ${label}, type: text, default: NO }
  services:
    - name: web
      image: berth.dev/whoami:1
      env:
        - name: TITLE
          value: \${{ parameters.title }}
      ports: [{ name: http, port: 8080 }]
${more}  exposure: { service: web, port: http }
`;
const save = (text: string, who = scene.owner, team = scene.owner.teamId) =>
  scene.send(who, 'POST', '/api/templates', { body: { team, source: text } });
const get = (path: string, who = scene.owner) => scene.send(who, 'GET', path);
const inTeam = (path: string) => `${path}${path.includes('?') ? '&' : '?'}team=${scene.owner.teamId}`;

describe("a team's own template", () => {
  it('is offered to the team beside what ships, as it was written, and to nobody else', async () => {
    const made = await save(source());
    expect(made.statusCode).toBe(201);
    const detail: TemplateDetail = made.json();
    expect(detail).toMatchObject({ name: 'ours', version: '1.0.0', owner: 'team', versions: ['1.0.0'], exposed: true });
    const names = ({ items }: { items: TemplateSummary[] }) => items.map(({ name, owner }) => `${owner}/${name}`);
    expect(names((await get(inTeam('/api/templates'))).json())).toContain('team/ours');
    expect(names((await get(inTeam('/api/templates'))).json())).toContain('berth/plain');
    expect(names((await get('/api/templates')).json())).not.toContain('team/ours');
    expect((await get(inTeam('/api/templates/ours/source'))).json()).toMatchObject({ owner: 'team', source: source() });
    for (const path of [
      '/api/templates',
      '/api/templates/ours',
      '/api/templates/ours/source',
      '/api/templates/plain',
    ]) {
      expect((await get(inTeam(path), scene.stranger)).json()).toMatchObject({ code: 'not_found' });
    }
    expect((await get('/api/templates/ours')).statusCode).toBe(404);
    expect((await get('/api/templates/ours', scene.stranger)).statusCode).toBe(404);
  });

  it('is deployed, edited and previewed in its team only', async () => {
    await save(source({ name: 'deployed' }));
    const body = { name: 'from-own', template: 'deployed', values: { title: 'x' } };
    const made = await scene.create(body);
    expect(made.template).toEqual({ name: 'deployed', version: '1.0.0' });
    const preview = await scene.send(scene.owner, 'POST', '/api/deployments/preview', {
      body: { ...body, name: 'seen', team: scene.owner.teamId },
    });
    expect(preview.statusCode).toBe(200);
    await save(source({ name: 'deployed', version: '1.1.0', label: 'Headline' }));
    const changed = await scene.send(scene.owner, 'PATCH', `/api/deployments/${made.id}`, {
      body: { version: '1.1.0' },
    });
    expect(changed.json()).toMatchObject({ template: { version: '1.1.0' } });
    const foreign = await scene.send(scene.stranger, 'POST', '/api/deployments', {
      body: { ...body, team: scene.stranger.teamId },
    });
    expect(foreign.json()).toMatchObject({ code: 'invalid_input', fields: [{ path: 'template' }] });
  });

  it('takes a new version and never changes one that is there', async () => {
    await save(source({ name: 'versioned', version: '1.9.0' }));
    const again = await save(source({ name: 'versioned', version: '1.9.0', label: 'Other' }));
    expect(again.json().fields).toEqual([{ path: 'spec.version', message: expect.stringContaining('1.9.1') }]);
    expect((await save(source({ name: 'versioned', version: '1.10.0' }))).json()).toMatchObject({ version: '1.10.0' });
    await save(source({ name: 'versioned', version: '1.2.0' }));
    const detail: TemplateDetail = (await get(inTeam('/api/templates/versioned'))).json();
    expect(detail).toMatchObject({ version: '1.10.0', versions: ['1.10.0', '1.9.0', '1.2.0'] });
    expect((await get(inTeam('/api/templates/versioned?version=1.2.0'))).json()).toMatchObject({ version: '1.2.0' });
  });

  it('of one name is another one in another team, and cannot have the name of what ships', async () => {
    await save(source({ name: 'common', label: 'Mine' }));
    const theirs = await save(source({ name: 'common', label: 'Theirs' }), scene.stranger, scene.stranger.teamId);
    expect(theirs.statusCode).toBe(201);
    expect((await get(inTeam('/api/templates/common'))).json().parameters[0].label).toBe('Mine');
    expect((await save(source({ name: 'plain' }))).json().fields).toEqual([
      { path: 'metadata.name', message: expect.stringContaining('ships with Berth') },
    ]);
  });

  it('that is retired is offered no more, and what was deployed from it can still be changed', async () => {
    await save(source({ name: 'retired' }));
    const made = await scene.create({ name: 'from-retired', template: 'retired' });
    const retire = () => scene.send(scene.owner, 'DELETE', inTeam('/api/templates/retired'));
    expect((await retire()).statusCode).toBe(204);
    expect((await retire()).statusCode).toBe(404);
    expect((await get(inTeam('/api/templates/retired'))).statusCode).toBe(404);
    const changed = await scene.send(scene.owner, 'PATCH', `/api/deployments/${made.id}`, {
      body: { values: { title: 'B' } },
    });
    expect(changed.json()).toMatchObject({ revision: 2 });
    expect((await scene.send(scene.owner, 'DELETE', inTeam('/api/templates/plain'))).json()).toMatchObject({
      code: 'conflict',
    });
    expect((await save(source({ name: 'retired' }))).statusCode).toBe(400);
    expect((await save(source({ name: 'retired', version: '2.0.0' }))).statusCode).toBe(201);
  });

  it('is written by who may, and what was done is on record', async () => {
    const developer = await createTenant(scene.database, 'Developer');
    await joinTeam(scene.database, developer, scene.owner, 'developer');
    expect((await save(source({ name: 'theirs' }), developer)).json()).toMatchObject({
      code: 'forbidden',
      right: { permission: 'template:write' },
    });
    expect((await get(inTeam('/api/templates/ours'), developer)).statusCode).toBe(200);
    expect((await save(source({ name: 'foreign' }), scene.stranger)).statusCode).toBe(404);
    await save(source({ name: 'recorded' }));
    const [record] = await scene.database.query(
      "select actor, action, target, detail from audit_records where target = 'recorded'",
    );
    expect(record).toEqual({
      actor: scene.owner.email,
      action: 'template:write',
      target: 'recorded',
      detail: 'version 1.0.0',
    });
  });

  it('is refused while an expression in it leads nowhere, for a version never changes', async () => {
    const wrong = await save(source({ name: 'nowhere' }).replace('parameters.title', 'parameters.tilte'));
    expect(wrong.statusCode).toBe(400);
    expect(wrong.json().fields).toEqual([
      { path: 'spec.services[0].env[0].value', message: expect.stringContaining('${{ parameters.tilte }} is unknown') },
    ]);
    expect((await get(inTeam('/api/templates/nowhere'))).statusCode).toBe(404);
  });

  it('case 6: is read as YAML is everywhere, and what is wrong has a line', async () => {
    await save(source({ name: 'strings' }));
    const made = await scene.create({ name: 'from-strings', template: 'strings' });
    expect(made.values).toEqual({ title: 'NO' });
    const wrong = async (text: string) => JSON.stringify((await save(text)).json());
    expect(await wrong(source({ more: '  version: 1.0.0\n' }))).toMatch(/line 21: .*there twice/);
    expect(await wrong(`${source()}---\n${source()}`)).toMatch(/line \d+: a second document/);
    expect(await wrong(source().replace('  kind: deployment', '\tkind: deployment'))).toMatch(/line 7/);
    expect(await wrong(source().replace('image: berth.dev/whoami:1', 'image: ""'))).toMatch(
      /services\[0\].image.*line 16/,
    );
    expect(await wrong('')).toContain('is empty');
  });

  it('case 5: may be large, and is refused with its size when it is too large', async () => {
    const file = (bytes: number) => `      files: [{ path: /data.txt, content: "${'x'.repeat(bytes)}" }]\n`;
    const large = await save(source({ name: 'large', more: file(300 * 1024) }));
    expect(large.statusCode).toBe(201);
    await scene.create({ name: 'from-large', template: 'large' });
    const tooLarge = await save(source({ name: 'too-large', more: file(1100 * 1024) }));
    expect(tooLarge.statusCode).toBeGreaterThanOrEqual(400);
    expect(tooLarge.body).toMatch(/1048576|too large/i);
  });
});

it('what ships is told as it was written', async () => {
  await scene.database.execute("update templates set source = '# shipped' where name = 'vault'");
  expect((await get('/api/templates/vault/source')).json()).toMatchObject({ owner: 'berth', source: '# shipped' });
  const written = (await get('/api/templates/plain/source')).json().source;
  expect((await save(written.replace('name: plain', 'name: rewritten'))).statusCode).toBe(201);
});
