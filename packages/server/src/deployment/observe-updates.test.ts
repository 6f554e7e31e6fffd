import type { Deployment, Revision } from '@berth/core/deployment';
import type { UpdateStatus, UserDeploymentSpec } from '@berth/core/user-deployment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterScene, startClusterScene } from './testing/cluster-scene.ts';

let scene: ClusterScene;
beforeAll(async () => {
  scene = await startClusterScene();
});
afterAll(() => scene.end());

const since = '2026-01-01T00:00:00.000Z';
const url = (id: string, path = '') => `/api/deployments/${id}${path}`;
const revisions = async (id: string): Promise<Revision[]> =>
  (await scene.send(scene.owner, 'GET', url(id, '/revisions'))).json().items;
const told = async (id: string) =>
  (await revisions(id)).map(({ revision, outcome, serving }) => `${revision} ${outcome}${serving ? ', serves' : ''}`);
const activity = async (id: string): Promise<{ kind: string; message: string; by?: string; service?: string }[]> =>
  (await scene.send(scene.owner, 'GET', url(id, '/activity'))).json().items;
const patch = async (id: string, body: object): Promise<Deployment> =>
  (await scene.send(scene.owner, 'PATCH', url(id), { body })).json();
const post = async (id: string, verb: string, body?: object): Promise<Deployment> =>
  (await scene.send(scene.owner, 'POST', url(id, `/${verb}`), { body })).json();

/** As the operator does for the generation that is there now. */
async function operatorSays(name: string, update: Omit<UpdateStatus, 'generation' | 'since'>): Promise<void> {
  const generation = (await scene.resource(name))?.metadata.generation ?? 0;
  await scene.operatorSays(name, { phase: 'Running', update: { ...update, generation, since } });
  await scene.settle(name);
}

async function running(name: string, values: object = { title: 'A' }): Promise<Deployment> {
  const made = await scene.create({ name, template: 'plain', values });
  await scene.settle(name);
  await operatorSays(name, { state: 'complete' });
  return made;
}

describe('what became of a revision', () => {
  it('is that it runs, once the operator says so of this very revision', async () => {
    const made = await running('ran');
    expect(await told(made.id)).toEqual(['1 running, serves']);
    await patch(made.id, { values: { title: 'B' } });
    expect(await told(made.id)).toEqual(['2 pending', '1 running, serves']);
    await scene.settle('ran');
    // Of the generation before: it says nothing of this one.
    expect(await told(made.id)).toEqual(['2 pending', '1 running, serves']);
    await operatorSays('ran', { state: 'progressing', servingRevision: '1' });
    expect(await told(made.id)).toEqual(['2 pending', '1 running, serves']);
    await operatorSays('ran', { state: 'complete' });
    expect(await told(made.id)).toEqual(['2 running, serves', '1 running']);
  });

  it('is that it failed, with the words of the operator, told once, and not again for a new title', async () => {
    const made = await running('failed');
    await patch(made.id, { values: { title: 'crash' } });
    await scene.settle('failed');
    const stopped: Parameters<typeof operatorSays>[1] = {
      state: 'stopped',
      servingRevision: '1',
      service: 'web',
      specHash: 'abc',
      message: 'web: its readiness probe GET /healthz on port http answered 500',
      lastLines: ['boom'],
    };
    await operatorSays('failed', stopped);
    await scene.observe('failed');
    expect(await told(made.id)).toEqual(['2 failed', '1 running, serves']);
    expect((await revisions(made.id))[0]?.message).toBe(stopped.message);
    const shown = await scene.shown('failed');
    expect(shown).toMatchObject({ phase: 'Running', update: { state: 'stopped', lastLines: ['boom'] } });
    expect(shown?.message).toBe(`Update to revision 2 was stopped: ${stopped.message}`);
    const stops = async () => (await activity(made.id)).filter(({ kind }) => kind === 'update_stopped');
    expect(await stops()).toMatchObject([
      { level: 'failure', service: 'web', message: `failed: Update to revision 2 was stopped: ${stopped.message}` },
    ]);
    const renamed = await patch(made.id, { displayName: 'Still stopped' });
    // The one that was stopped is not this one: who waits for it must not take it for its end.
    expect(renamed.update).toBeUndefined();
    await scene.settle('failed');
    expect(await scene.shown('failed')).not.toMatchObject({ update: { state: 'stopped' } });
    expect((await scene.shown('failed'))?.message).toBeUndefined();
    await operatorSays('failed', stopped);
    expect(await told(made.id)).toEqual(['3 failed', '2 failed', '1 running, serves']);
    expect(await stops()).toHaveLength(1);
    expect((await activity(made.id)).filter(({ kind }) => kind === 'running')).toHaveLength(1);
    expect(await post(made.id, 'rollback', { revision: 1 })).not.toHaveProperty('message');
    await scene.settle('failed');
    await operatorSays('failed', { state: 'complete', specHash: 'first' });
    expect((await told(made.id))[0]).toBe('4 running, serves');
  });

  it('is nothing yet while it waits for a resume, and what serves is told meanwhile', async () => {
    const made = await running('waits');
    await post(made.id, 'pause');
    await scene.settle('waits');
    await operatorSays('waits', { state: 'paused' });
    expect(await told(made.id)).toEqual(['2 running, serves', '1 running']);
    await patch(made.id, { values: { title: 'B' } });
    await scene.settle('waits');
    await operatorSays('waits', { state: 'paused', servingRevision: '2' });
    expect(await told(made.id)).toEqual(['3 pending', '2 running, serves', '1 running']);
    expect((await scene.shown('waits'))?.message).toContain('revision 2 runs');
    await post(made.id, 'resume');
    await scene.settle('waits');
    await operatorSays('waits', { state: 'complete' });
    expect(await told(made.id)).toEqual(['4 running, serves', '3 replaced', '2 running', '1 running']);
  });

  it('is that nothing serves while it is stopped', async () => {
    const made = await running('halted');
    await post(made.id, 'stop');
    await scene.settle('halted');
    await operatorSays('halted', { state: 'complete' });
    expect(await told(made.id)).toEqual(['2 running', '1 running']);
    await post(made.id, 'start');
    expect(await told(made.id)).toEqual(['3 pending', '2 running', '1 running']);
  });

  it('is known too for a revision that changes nothing of the resource but its number', async () => {
    await scene.kubectlApply('same', { services: [{ name: 'web', image: 'i' }] });
    const generation = (await scene.resource('same'))?.metadata.generation ?? 0;
    await scene.operatorSays('same', { phase: 'Running', update: { state: 'complete', generation, since } });
    await scene.settle('same');
    const shown = await scene.shown('same');
    expect(await told(shown?.id ?? '')).toEqual(['1 running, serves']);
  });
});

describe('an edit in the cluster', () => {
  it('of pods, pause and hosts holds over the next change of a value, in both directions', async () => {
    const made = await running('both-ways');
    const spec = (await scene.resource('both-ways'))?.spec as UserDeploymentSpec;
    await scene.kubectlEdit('both-ways', {
      paused: true,
      services: spec.services.map((service) => ({ ...service, replicas: 3 })),
      exposure: [...(spec.exposure ?? []), { host: 'by-hand.example.com', service: 'web', port: 'http' }],
    });
    await scene.settle('both-ways');
    const edited = await scene.shown('both-ways');
    expect(edited).toMatchObject({ revision: 2, paused: true, aliases: ['by-hand.example.com'] });
    expect((await revisions(made.id))[0]).toMatchObject({
      by: 'kubectl-edit',
      summary: 'alias by-hand.example.com added, paused, web scaled to 3',
    });
    await patch(made.id, { values: { title: 'B' } });
    await scene.settle('both-ways');
    expect((await scene.resource('both-ways'))?.spec).toMatchObject({
      paused: true,
      services: [{ replicas: 3, env: [{ name: 'TITLE', value: 'B' }] }],
      exposure: [{ host: 'both-ways.apps.test' }, { host: 'by-hand.example.com' }],
    });
    await post(made.id, 'scale', { service: 'web', replicas: 2 });
    await post(made.id, 'resume');
    await scene.settle('both-ways');
    expect((await scene.resource('both-ways'))?.spec).toMatchObject({ services: [{ replicas: 2 }] });
    expect((await scene.resource('both-ways'))?.spec).not.toHaveProperty('paused');
    expect(await scene.shown('both-ways')).toMatchObject({ revision: 5, paused: false });
  });

  it('that no form knows is undone by the next change of a value, which says so before and after', async () => {
    const made = await running('undone');
    const spec = (await scene.resource('undone'))?.spec as UserDeploymentSpec;
    await scene.kubectlEdit('undone', { services: spec.services.map((service) => ({ ...service, image: 'i:2' })) });
    await scene.settle('undone');
    expect((await activity(made.id))[0]).toMatchObject({
      message: 'undone: image of web changed',
      by: 'kubectl-edit',
    });
    await patch(made.id, { displayName: 'A title undoes nothing' });
    await scene.settle('undone');
    expect((await scene.resource('undone'))?.spec.services[0]?.image).toBe('i:2');
    const body = { values: { title: 'B' } };
    const preview = await scene.send(scene.owner, 'POST', url(made.id, '/preview'), { body });
    expect(preview.json().warnings).toEqual(['This undoes what was edited in the cluster: image of web.']);
    await patch(made.id, body);
    expect((await revisions(made.id))[0]?.summary).toBe('title changed; edits in the cluster undone: image of web');
  });

  it('of everything that a spec can say is adopted, told and comes back by a rollback', async () => {
    const whole: UserDeploymentSpec = {
      displayName: 'Whole',
      paused: true,
      services: [
        {
          name: 'web',
          image: 'i',
          ports: [{ name: 'http', port: 8080 }],
          probes: { readiness: { grpc: { port: 'http' } } },
          readyWithinSeconds: 60,
          dependsOn: ['migrate'],
        },
        { name: 'api', image: 'i', ports: [{ name: 'http', port: 8081 }] },
      ],
      jobs: [
        {
          name: 'migrate',
          image: 'i',
          env: [
            { name: 'Z', value: '1' },
            { name: 'A', value: '2' },
          ],
        },
        { name: 'nightly', image: 'i', schedule: '@daily', timeZone: 'Europe/Berlin' },
      ],
      exposure: [
        {
          host: 'whole.apps.test',
          service: 'web',
          port: 'http',
          paths: [
            { path: '/z', service: 'api', port: 'http' },
            { path: '/api', service: 'api', port: 'http' },
          ],
        },
      ],
    };
    await scene.kubectlApply('whole', whole);
    await scene.settle('whole');
    const shown = await scene.shown('whole');
    expect(shown).toMatchObject({ revision: 1, paused: true, jobs: [{ name: 'migrate' }, { schedule: '@daily' }] });
    const id = shown?.id ?? '';
    const other = {
      ...whole,
      jobs: whole.jobs?.slice(0, 1),
      services: [{ ...whole.services[0], readyWithinSeconds: 90 }, whole.services[1]],
    };
    await scene.kubectlApply('whole', JSON.parse(JSON.stringify(other)));
    await scene.settle('whole');
    const changes = (await scene.send(scene.owner, 'GET', url(id, '/revisions/2'))).json().changes;
    expect(changes).toEqual([
      { subject: 'web', field: 'time to become ready', before: '60 s', after: '90 s' },
      { subject: 'Job nightly', field: 'job', before: 'i' },
    ]);
    await post(id, 'rollback', { revision: 1 });
    await scene.settle('whole');
    expect((await scene.resource('whole'))?.spec).toMatchObject({
      services: [{ readyWithinSeconds: 60 }, { name: 'api' }],
      jobs: [{ name: 'migrate' }, { name: 'nightly' }],
    });
    // A controller that applies its own again makes a revision of it, and then both rest.
    await scene.kubectlApply('whole', JSON.parse(JSON.stringify(other)));
    await scene.settle('whole');
    expect((await revisions(id)).map(({ by }) => by)).toEqual(['kubectl', scene.owner.email, 'kubectl', 'kubectl']);
  });

  it('made what has no template can be scaled, given an alias and cloned', async () => {
    await scene.kubectlApply('adopted', {
      services: [
        {
          name: 'web',
          image: 'i',
          ports: [{ name: 'http', port: 8080 }],
          env: [{ name: 'DB', value: 'adopted-db:5432' }],
        },
        { name: 'db', image: 'i' },
      ],
      exposure: [{ host: 'adopted.apps.test', service: 'web', port: 'http' }],
    });
    await scene.settle('adopted');
    const id = (await scene.shown('adopted'))?.id ?? '';
    await post(id, 'scale', { service: 'web', replicas: 2 });
    expect(await patch(id, { aliases: ['second'] })).toMatchObject({ aliases: ['second.apps.test'], revision: 3 });
    expect(await patch(id, { aliases: ['second'] })).toMatchObject({ revision: 3 });
    await scene.settle('adopted');
    expect((await scene.resource('adopted'))?.spec).toMatchObject({
      services: [{ replicas: 2 }, { name: 'db' }],
      exposure: [{ host: 'adopted.apps.test' }, { host: 'second.apps.test', service: 'web', port: 'http' }],
    });
    const copy = await post(id, 'clone', { name: 'copied' });
    expect(copy).toMatchObject({ host: 'copied.apps.test', aliases: [], addresses: [{ host: 'copied.apps.test' }] });
    await scene.settle('copied');
    expect((await scene.resource('copied'))?.spec.services[0]).toMatchObject({
      replicas: 2,
      env: [{ name: 'DB', value: 'copied-db:5432' }],
    });
  });
});
