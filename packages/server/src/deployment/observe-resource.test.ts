import { findCondition } from '@berth/core/conditions';
import { ANNOTATIONS, RECORD_FINALIZER, type UserDeploymentSpec } from '@berth/core/user-deployment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import { createTenant } from '../testing/tenants.ts';
import { type ClusterScene, startClusterScene } from './testing/cluster-scene.ts';

let scene: ClusterScene;
beforeAll(async () => {
  scene = await startClusterScene();
});
afterAll(() => scene.end());

const specWith = (host?: string, changes: Partial<UserDeploymentSpec> = {}): UserDeploymentSpec => ({
  services: [{ name: 'web', image: 'berth.dev/whoami:1', ports: [{ name: 'http', port: 8080 }] }],
  ...(host !== undefined && { exposure: [{ host, service: 'web', port: 'http' }] }),
  ...changes,
});
const condition = async (name: string, type: string, who = scene.owner) =>
  findCondition((await scene.resource(name, who))?.status?.conditions, type);
const revisions = async (id: string) =>
  (await scene.send(scene.owner, 'GET', `/api/deployments/${id}/revisions`)).json().items;
const activity = async (name: string) =>
  (await scene.send(scene.owner, 'GET', `/api/activity?team=${scene.owner.teamId}&limit=200`))
    .json()
    .items.filter((each: { deployment: string }) => each.deployment === name);
const at = (name: string) => ({ name, namespace: scene.owner.namespace });
const removeFinally = async (name: string, id: string) => {
  await scene.send(scene.owner, 'DELETE', `/api/deployments/${id}`);
  await scene.settle(name);
};

describe('the observer', () => {
  it('grants slot and host, and writes to the row what the operator says', async () => {
    await scene.create({ name: 'granted', template: 'plain' });
    await scene.settle('granted');
    expect((await scene.resource('granted'))?.status?.grantedHosts).toEqual(['granted.apps.test']);
    expect(await condition('granted', 'Admitted')).toMatchObject({ status: 'True', observedGeneration: 1 });
    expect(await condition('granted', 'HostsClaimed')).toMatchObject({ status: 'True', reason: 'Claimed' });
    const services = [{ name: 'web', state: 'Running', desired: 1, ready: 1, restarts: 0 } as const];
    await scene.operatorSays('granted', { phase: 'Running', services });
    await scene.settle('granted');
    expect(await scene.shown('granted')).toMatchObject({
      phase: 'Running',
      services: [{ state: 'Running', ready: 1 }],
    });
    expect(await activity('granted')).toMatchObject([{ kind: 'running', level: 'ok' }, { kind: 'created' }]);
  });

  it('tells why something fails, once', async () => {
    await scene.create({ name: 'failing', template: 'plain' });
    await scene.settle('failing');
    const message = 'the image berth.dev/none:1 is not there';
    const services = [{ name: 'web', state: 'Failing', message, desired: 1, ready: 0, restarts: 3 } as const];
    await scene.operatorSays('failing', { phase: 'Failing', services });
    await scene.settle('failing');
    await scene.observe('failing');
    expect(await scene.shown('failing')).toMatchObject({ phase: 'Failing', message: `web: ${message}` });
    const told = (await activity('failing')).filter((each: { kind: string }) => each.kind === 'failing');
    expect(told).toMatchObject([{ level: 'failure', message: `failing is failing: web: ${message}` }]);
  });

  it('never takes the state before a change for its end', async () => {
    const made = await scene.create({ name: 'waited', template: 'plain' });
    await scene.settle('waited');
    await scene.operatorSays('waited', { phase: 'Running' });
    await scene.settle('waited');
    const before = await scene.resource('waited');
    await scene.send(scene.owner, 'PATCH', `/api/deployments/${made.id}`, { body: { values: { title: 'B' } } });
    // The copy is still the old one, then the new spec is there and the operator has not looked at it.
    await scene.observe('waited', before);
    expect((await scene.shown('waited'))?.phase).toBe('Updating');
    await scene.settle('waited');
    expect((await scene.shown('waited'))?.phase).toBe('Updating');
    await scene.operatorSays('waited', { phase: 'Running' });
    await scene.settle('waited');
    expect((await scene.shown('waited'))?.phase).toBe('Running');
  });

  it('case 16: writes nothing for what has not changed', async () => {
    await scene.create({ name: 'quiet', template: 'plain' });
    await scene.settle('quiet');
    const version = async () => [
      (await scene.resource('quiet'))?.metadata.resourceVersion,
      await scene.database.query('select live_position from teams where id = $1', [scene.owner.teamId]),
    ];
    const before = await version();
    for (let look = 0; look < 5; look++) await scene.observe('quiet');
    expect(await version()).toEqual(before);
  });
});

describe('a resource made with kubectl', () => {
  it('is adopted, with the host that it asks for', async () => {
    await scene.kubectlApply('adopted', specWith('adopted.apps.test', { displayName: 'By hand' }));
    await scene.settle('adopted');
    const shown = await scene.shown('adopted');
    expect(shown).toMatchObject({
      displayName: 'By hand',
      host: 'adopted.apps.test',
      createdBy: 'kubectl',
      revision: 1,
    });
    const resource = await scene.resource('adopted');
    expect(resource?.metadata.finalizers).toContain(RECORD_FINALIZER);
    expect(resource?.metadata.annotations).toMatchObject({ [ANNOTATIONS.deploymentId]: shown?.id });
    expect(await condition('adopted', 'Admitted')).toMatchObject({ status: 'True' });
    expect(await scene.shown('adopted', scene.stranger)).toBeUndefined();
  });

  it('waits for a host that another holds, and gets it when it is free', async () => {
    const holder = await scene.create({ name: 'holder', template: 'plain', host: 'wanted.example.com' });
    await scene.settle('holder');
    await scene.kubectlApply('waits', specWith('wanted.example.com'));
    await scene.settle('waits');
    expect(await condition('waits', 'HostsClaimed')).toMatchObject({ status: 'False', reason: 'HostTaken' });
    expect(await scene.shown('waits')).not.toHaveProperty('host');
    await removeFinally('holder', holder.id);
    await scene.settle('waits');
    expect(await condition('waits', 'HostsClaimed')).toMatchObject({ status: 'True' });
    expect(await scene.shown('waits')).toMatchObject({ host: 'wanted.example.com' });
  });

  it('gets no host that it spells wrong or that is the platform’s', async () => {
    await scene.kubectlApply('spelled', specWith('Upper.Example.com'));
    await scene.settle('spelled');
    expect(await condition('spelled', 'HostsClaimed')).toMatchObject({
      reason: 'InvalidHost',
      message: expect.stringContaining('upper.example.com'),
    });
    await scene.kubectlApply('platform', specWith('platform.apps.test'));
    await scene.settle('platform');
    expect(await condition('platform', 'HostsClaimed')).toMatchObject({ status: 'False', reason: 'InvalidHost' });
  });

  it('keeps no host that somebody else has written into its status', async () => {
    await scene.kubectlApply('forged', specWith('forged.apps.test'));
    await scene.settle('forged');
    await scene.operatorSays('forged', { grantedHosts: ['forged.apps.test', 'holder.apps.test'] });
    await scene.settle('forged');
    expect((await scene.resource('forged'))?.status?.grantedHosts).toEqual(['forged.apps.test']);
  });

  it('is not admitted over the plan, and is once there is room', async () => {
    const who = await createTenant(scene.database, 'Full', { plan: 'free' });
    const made = [];
    for (const name of ['a', 'b', 'c'])
      made.push(await scene.create({ name, template: 'plain', host: `full-${name}` }, who));
    await scene.settle('a', who);
    await scene.kubectlApply('extra', specWith(), who);
    await scene.settle('extra', who);
    expect(await condition('extra', 'Admitted', who)).toMatchObject({
      status: 'False',
      reason: 'LimitReached',
      message: expect.stringContaining('3 deployments'),
    });
    expect(await scene.shown('extra', who)).toBeUndefined();
    await scene.send(who, 'DELETE', `/api/deployments/${made[0]?.id}`);
    await scene.settle('a', who);
    await scene.settle('extra', who);
    expect(await condition('extra', 'Admitted', who)).toMatchObject({ status: 'True' });
  });

  it('is told what is wrong with its spec or its name', async () => {
    await scene.kubectlApply('no-port', {
      ...specWith(),
      exposure: [{ host: 'x.apps.test', service: 'web', port: 'none' }],
    });
    await scene.settle('no-port');
    expect(await condition('no-port', 'Admitted')).toMatchObject({
      reason: 'InvalidSpec',
      message: expect.stringContaining('spec.exposure[0].port'),
    });
    await scene.kubectlApply('dotted.name', specWith());
    await scene.settle('dotted.name');
    expect(await condition('dotted.name', 'Admitted')).toMatchObject({ reason: 'InvalidName' });
  });

  it('case 5: is adopted with a file of 300 KiB, and told its size when the environment is too large', async () => {
    const [web] = specWith().services;
    if (!web) throw new Error('the spec has no service');
    const files = [{ path: '/etc/large', content: 'x'.repeat(300 * 1024) }];
    await scene.kubectlApply('large', { services: [{ ...web, files }] });
    await scene.settle('large');
    expect(await condition('large', 'Admitted')).toMatchObject({ status: 'True' });
    const env = Array.from({ length: 10 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(112 * 1024) }));
    await scene.kubectlApply('too-large', { services: [{ ...web, env }] });
    await scene.settle('too-large');
    expect(await condition('too-large', 'Admitted')).toMatchObject({
      reason: 'InvalidSpec',
      message: expect.stringMatching(/environment is \d+ bytes/),
    });
  });

  it('outside of a team’s namespace is nobody’s business', async () => {
    const at = { name: 'foreign', namespace: 'team' };
    const object = { apiVersion: 'berth.dev/v1alpha1', kind: 'UserDeployment', metadata: at, spec: specWith() };
    await scene.client.create(USER_DEPLOYMENT, object);
    await scene.observe('foreign', undefined, { ...scene.owner, namespace: 'team' });
    expect((await scene.client.get(USER_DEPLOYMENT, at)).status).toBeUndefined();
  });

  it('copied from another one is a deployment of its own that can be changed', async () => {
    await scene.create({ name: 'origin', template: 'plain' });
    await scene.settle('origin');
    const origin = await scene.resource('origin');
    await scene.client.create(USER_DEPLOYMENT, {
      apiVersion: 'berth.dev/v1alpha1',
      kind: 'UserDeployment',
      metadata: { ...at('copy'), annotations: { ...origin?.metadata.annotations, [ANNOTATIONS.revision]: '7' } },
      spec: specWith(),
    });
    await scene.settle('copy');
    const copy = await scene.shown('copy');
    expect(copy?.id).not.toBe((await scene.shown('origin'))?.id);
    await scene.send(scene.owner, 'PATCH', `/api/deployments/${copy?.id}`, { body: { displayName: 'Copy' } });
    await scene.settle('copy');
    expect((await scene.resource('copy'))?.spec.displayName).toBe('Copy');
  });
});

describe('an edit with kubectl', () => {
  it('becomes a revision that names who made it, and stays', async () => {
    const made = await scene.create({ name: 'edited', template: 'plain', values: { title: 'A' } });
    await scene.settle('edited');
    await scene.kubectlEdit('edited', { displayName: 'Edited', desired: 'stopped' });
    await scene.settle('edited');
    expect(await scene.shown('edited')).toMatchObject({
      displayName: 'Edited',
      desired: 'stopped',
      revision: 2,
      values: { title: 'A' },
    });
    expect((await scene.resource('edited'))?.spec).toMatchObject({ displayName: 'Edited', desired: 'stopped' });
    expect((await scene.resource('edited'))?.metadata.annotations?.[ANNOTATIONS.revision]).toBe('2');
    expect(await revisions(made.id)).toMatchObject([
      { revision: 2, by: 'kubectl-edit', summary: expect.stringContaining('display name') },
      { revision: 1 },
    ]);
  });

  it('loses against a change through the API that came first', async () => {
    const made = await scene.create({ name: 'both', template: 'plain' });
    await scene.settle('both');
    await scene.send(scene.owner, 'PATCH', `/api/deployments/${made.id}`, { body: { values: { title: 'API' } } });
    await scene.kubectlEdit('both', { displayName: 'kubectl' });
    await scene.settle('both');
    expect(await scene.shown('both')).toMatchObject({ revision: 2, values: { title: 'API' } });
    expect((await scene.resource('both'))?.spec.services[0]?.env).toEqual([{ name: 'TITLE', value: 'API' }]);
  });

  it('is not seen twice in an old copy', async () => {
    await scene.create({ name: 'old-copy', template: 'plain' });
    await scene.settle('old-copy');
    await scene.kubectlEdit('old-copy', { displayName: 'X' });
    const copy = await scene.resource('old-copy');
    await scene.settle('old-copy');
    await scene.observe('old-copy', copy);
    await scene.settle('old-copy');
    expect((await scene.shown('old-copy'))?.revision).toBe(2);
  });

  it('that moves the host claims the new one and gives up the old', async () => {
    await scene.create({ name: 'rehost', template: 'plain' });
    await scene.settle('rehost');
    await scene.kubectlEdit('rehost', { exposure: [{ host: 'rehosted.apps.test', service: 'web', port: 'http' }] });
    await scene.settle('rehost');
    expect(await scene.shown('rehost')).toMatchObject({ host: 'rehosted.apps.test' });
    await scene.create({ name: 'takes-over', template: 'plain', host: 'rehost' }, scene.stranger);
  });

  it('that breaks the rules is not taken', async () => {
    const made = await scene.create({ name: 'broken', template: 'plain' });
    await scene.settle('broken');
    await scene.kubectlEdit('broken', { exposure: [{ host: 'broken.apps.test', service: 'none', port: 'http' }] });
    await scene.settle('broken');
    expect((await scene.shown('broken'))?.revision).toBe(1);
    await scene.send(scene.owner, 'PATCH', `/api/deployments/${made.id}`, { body: { values: { title: 'fixed' } } });
    await scene.settle('broken');
    expect((await scene.resource('broken'))?.spec.exposure).toMatchObject([{ service: 'web' }]);
  });
});

describe('a removal', () => {
  it('through the API leaves no object, row, secret or claim, and is told', async () => {
    const made = await scene.create({ name: 'removed', template: 'vault', values: { password: 'x' } });
    await scene.settle('removed');
    await removeFinally('removed', made.id);
    expect(await scene.resource('removed')).toBeUndefined();
    expect(await scene.shown('removed')).toBeUndefined();
    for (const table of ['host_claims', 'revisions', 'outbox']) {
      expect(await scene.database.query(`select 1 from ${table} where deployment_id = $1`, [made.id])).toEqual([]);
    }
    expect(await scene.database.query('select 1 from secrets where path = $1', [made.id])).toEqual([]);
    expect((await activity('removed'))[0]).toMatchObject({ kind: 'deleted', by: scene.owner.email });
  });

  it('with kubectl marks the row before the resource may go', async () => {
    await scene.create({ name: 'by-hand', template: 'plain' });
    await scene.settle('by-hand');
    await scene.client.delete(USER_DEPLOYMENT, at('by-hand'));
    expect((await scene.resource('by-hand'))?.metadata.finalizers).toContain(RECORD_FINALIZER);
    await scene.observe('by-hand');
    expect(await scene.shown('by-hand')).toMatchObject({ desired: 'deleted', phase: 'Deleting' });
    await scene.settle('by-hand');
    expect(await scene.shown('by-hand')).toBeUndefined();
    expect((await activity('by-hand'))[0]).toMatchObject({ kind: 'deleted', by: 'kubectl' });
  });

  it('case 15: says what blocks it', async () => {
    const made = await scene.create({ name: 'blocked', template: 'plain' });
    await scene.settle('blocked');
    const finalizers = [RECORD_FINALIZER, 'example.com/backup'];
    await scene.client.patch(USER_DEPLOYMENT, at('blocked'), { type: 'merge', body: { metadata: { finalizers } } });
    await removeFinally('blocked', made.id);
    expect((await scene.shown('blocked'))?.message).toContain('example.com/backup');
    await scene.client.patch(USER_DEPLOYMENT, at('blocked'), { type: 'merge', body: { metadata: { finalizers: [] } } });
    await scene.settle('blocked');
    expect(await scene.shown('blocked')).toBeUndefined();
  });

  it('is in the audit log, whoever made it', async () => {
    const records = await scene.database.query<{ action: string; detail: string }>(
      "select action, detail from audit_records where actor = 'system:observer' and target = 'by-hand' order by sequence",
    );
    expect(records).toEqual([
      { action: 'deployment:delete', detail: 'deleted with kubectl' },
      { action: 'deployment:delete', detail: 'removed with its volumes, secrets and address' },
    ]);
  });

  it('case 15: completes when everything was removed by hand and nobody watched', async () => {
    const made = await scene.create({ name: 'unwatched', template: 'vault', values: { password: 'x' } });
    await scene.settle('unwatched');
    await scene.database.execute('delete from secrets where path = $1', [made.id]);
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${made.id}`);
    const body = { metadata: { finalizers: [] } };
    await scene.client.delete(USER_DEPLOYMENT, at('unwatched'));
    await scene.client.patch(USER_DEPLOYMENT, at('unwatched'), { type: 'merge', body }).catch(() => undefined);
    expect(await scene.resource('unwatched')).toBeUndefined();
    await scene.observe('unwatched', 'absent');
    expect(await scene.shown('unwatched')).toBeUndefined();
  });

  it('case 14: of an old one never touches the new one of its name, whatever an old copy shows', async () => {
    const old = await scene.create({ name: 'again', template: 'plain' });
    await scene.settle('again');
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${old.id}`);
    while (await scene.applier.step());
    const going = await scene.resource('again');
    await scene.settle('again');
    const next = await scene.create({ name: 'again', template: 'plain' });
    // Not in the cluster yet, and the copy still shows the old one going.
    await scene.observe('again', going);
    expect(await scene.shown('again')).toMatchObject({ id: next.id, desired: 'running' });
    await scene.settle('again');
    await scene.observe('again', going);
    await scene.observe('again', 'absent');
    expect(await scene.shown('again')).toMatchObject({ id: next.id, desired: 'running' });
    expect((await scene.resource('again'))?.metadata.annotations).toMatchObject({
      [ANNOTATIONS.deploymentId]: next.id,
    });
  });

  it('case 14: is over when its resource is gone, even if another has its name by then', async () => {
    const old = await scene.create({ name: 'reused', template: 'plain' });
    await scene.settle('reused');
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${old.id}`);
    await scene.client.patch(USER_DEPLOYMENT, at('reused'), { type: 'merge', body: { metadata: { finalizers: [] } } });
    await scene.client.delete(USER_DEPLOYMENT, at('reused')).catch(() => undefined);
    await scene.kubectlApply('reused', specWith());
    await scene.settle('reused');
    const shown = await scene.shown('reused');
    expect(shown?.id).not.toBe(old.id);
    expect(shown).toMatchObject({ desired: 'running' });
    expect(await scene.resource('reused')).toBeDefined();
  });
});

describe('a lost cluster', () => {
  it('gets every wanted deployment back, and no deleted one', async () => {
    const made = await scene.create({ name: 'lost', template: 'plain' });
    const gone = await scene.create({ name: 'lost-too', template: 'plain' });
    await scene.settle('lost');
    await scene.settle('lost-too');
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${gone.id}`);
    for (const name of ['lost', 'lost-too']) {
      await scene.client.patch(USER_DEPLOYMENT, at(name), { type: 'merge', body: { metadata: { finalizers: [] } } });
      await scene.client.delete(USER_DEPLOYMENT, at(name));
    }
    await scene.observe('lost', 'absent');
    await scene.observe('lost-too', 'absent');
    await scene.settle('lost');
    expect((await scene.resource('lost'))?.metadata.annotations).toMatchObject({ [ANNOTATIONS.deploymentId]: made.id });
    expect(await scene.shown('lost')).toMatchObject({ id: made.id, desired: 'running' });
    expect(await scene.shown('lost-too')).toBeUndefined();
  });
});
