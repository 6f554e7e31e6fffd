import { ANNOTATIONS, LABELS, RECORD_FINALIZER, type UserDeploymentSpec } from '@berth/core/user-deployment';
import { systemClock } from '@berth/kube/client/clock';
import type { KubeObject } from '@berth/kube/schema/object';
import { NAMESPACE, NETWORK_POLICY, RESOURCE_QUOTA, SECRET } from '@berth/kube/schema/resources';
import { KubeError } from '@berth/kube/schema/status';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRET_STORE, USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import { findTeamOfCredential } from '../secret/delivery-credential.ts';
import { createApplier } from './applier.ts';
import { applyDeployment } from './apply-deployment.ts';
import { createNamespaceKeeper } from './ensure-namespace.ts';
import { claimNext, finish } from './outbox.ts';
import { type ClusterScene, DELIVERY, startClusterScene } from './testing/cluster-scene.ts';

let scene: ClusterScene;
beforeAll(async () => {
  scene = await startClusterScene();
});
afterAll(() => scene.end());

const drain = async () => {
  while (await scene.applier.step());
};
const queued = async () => (await scene.database.query('select * from outbox')).length;
const patch = (id: string, body: object) => scene.send(scene.owner, 'PATCH', `/api/deployments/${id}`, { body });
const applyDeps = () => ({ ...scene.deps, client: scene.client, namespaces: scene.namespaces });

describe('the applier', () => {
  it('brings a new deployment and its namespace to the cluster', async () => {
    const made = await scene.create({ name: 'new', template: 'vault', values: { password: 'never-in-the-cluster' } });
    await drain();
    const resource = await scene.resource('new');
    expect(resource).toMatchObject({
      metadata: {
        labels: { [LABELS.team]: scene.owner.teamId },
        annotations: { [ANNOTATIONS.revision]: '1', [ANNOTATIONS.deploymentId]: made.id },
        finalizers: [RECORD_FINALIZER],
      },
      spec: { secretKeys: ['password', 'generated', 'optional', 'key'], secretVersion: '1', desired: 'running' },
    });
    expect(JSON.stringify(resource)).not.toContain('never-in');
    expect(await queued()).toBe(0);
    const { namespace } = scene.owner;
    const at = (name: string) => ({ name, namespace });
    const team = await scene.client.get<KubeObject>(NAMESPACE, { name: namespace });
    expect(team.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const quota = await scene.client.get<KubeObject>(RESOURCE_QUOTA, at('berth-plan'));
    expect(quota.spec).toMatchObject({ hard: { 'requests.cpu': '16', 'requests.memory': '64Gi' } });
    const policy = await scene.client.get<KubeObject>(NETWORK_POLICY, at('berth-default-deny'));
    expect(policy.spec).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    expect((await scene.client.get<KubeObject>(SECRET_STORE, at('berth'))).spec).toHaveProperty('provider.webhook');
  });

  it('makes the credential once, and brings it again when it was removed or changed, without ever reading a Secret', async () => {
    const { namespace } = scene.owner;
    const at = { name: 'berth-delivery', namespace };
    const read = async () => {
      const secret = await scene.client.get<KubeObject>(SECRET, at);
      return Buffer.from((secret.data as { token: string }).token, 'base64').toString();
    };
    const team = { teamId: scene.owner.teamId, namespace, plan: 'business' } as const;
    const blind = { ...scene.client, get: () => Promise.reject(new Error('the server reads nothing here')) };
    const deps = { ...scene.deps, client: blind as never, delivery: DELIVERY };
    const ensure = () => createNamespaceKeeper(deps).ensure(team);
    await ensure();
    const first = await read();
    const { metadata } = await scene.client.get<KubeObject>(SECRET, at);
    await ensure();
    expect((await scene.client.get<KubeObject>(SECRET, at)).metadata.resourceVersion).toBe(metadata.resourceVersion);
    await scene.client.delete(SECRET, at);
    await Promise.all([ensure(), ensure()]);
    expect(await read()).toBe(first);
    await scene.client.patch(SECRET, at, { type: 'merge', body: { data: { token: 'eA==' } } });
    await ensure();
    expect(await read()).toBe(first);
    expect(await findTeamOfCredential(scene.database, first)).toBe(scene.owner.teamId);
    // Who takes the row away takes the credential's worth.
    await scene.database.execute('delete from delivery_credentials where namespace = $1', [namespace]);
    await ensure();
    expect(await read()).not.toBe(first);
    expect(await findTeamOfCredential(scene.database, first)).toBeUndefined();
  });

  it('brings changes, and nothing when nothing is newer', async () => {
    const made = await scene.create({ name: 'change', template: 'plain', values: { title: 'A' } });
    await drain();
    await patch(made.id, { values: { title: 'B' } });
    await scene.send(scene.owner, 'POST', `/api/deployments/${made.id}/stop`);
    await drain();
    const resource = await scene.resource('change');
    expect(resource?.metadata.annotations?.[ANNOTATIONS.revision]).toBe('3');
    expect(resource?.spec).toMatchObject({ desired: 'stopped', services: [{ env: [{ name: 'TITLE', value: 'B' }] }] });
    await applyDeployment(applyDeps(), made.id);
    expect((await scene.resource('change'))?.metadata.resourceVersion).toBe(resource?.metadata.resourceVersion);
  });

  it('never writes an older revision over a newer one', async () => {
    const made = await scene.create({ name: 'newer', template: 'plain' });
    await drain();
    const annotations = { [ANNOTATIONS.revision]: '9' };
    const at = { name: 'newer', namespace: scene.owner.namespace };
    await scene.client.patch(USER_DEPLOYMENT, at, { type: 'merge', body: { metadata: { annotations } } });
    await patch(made.id, { values: { title: 'old' } });
    await drain();
    expect((await scene.resource('newer'))?.spec.services[0]?.env?.[0]?.value).toBe('Hello');
  });

  it('goes on after a crash between any two steps', async () => {
    const made = await scene.create({ name: 'crash', template: 'plain' });
    // Claimed, then killed: nothing is done, and the claim frees itself when its lease ends.
    const lost = await claimNext(scene.database);
    expect(lost?.deploymentId).toBe(made.id);
    expect(await scene.applier.step()).toBe(false);
    await scene.database.execute("update outbox set claimed_until = now() - interval '1 second'");
    // Applied, then killed before the entry was removed.
    await applyDeployment(applyDeps(), made.id);
    const written = await scene.resource('crash');
    await drain();
    expect((await scene.resource('crash'))?.metadata.resourceVersion).toBe(written?.metadata.resourceVersion);
    expect(await queued()).toBe(0);
  });

  it('lets nobody else bring a deployment that is deleted while it is being brought', async () => {
    const made = await scene.create({ name: 'brief', template: 'plain' });
    const { promise: asked, resolve: nowAsked } = deferred();
    const { promise: answered, resolve: answer } = deferred();
    const slow = createApplier({
      ...applyDeps(),
      client: {
        ...scene.client,
        async apply(...parameters: Parameters<typeof scene.client.apply>) {
          nowAsked();
          await answered;
          return scene.client.apply(...parameters);
        },
      } as typeof scene.client,
      logger: scene.logger,
      timer: systemClock,
    });
    const brought = slow.step();
    await asked;
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${made.id}`);
    expect(await scene.applier.step()).toBe(false);
    expect(await scene.shown('brief')).toMatchObject({ phase: 'Deleting' });
    answer();
    await brought;
    await drain();
    expect((await scene.resource('brief'))?.metadata.deletionTimestamp).toBeDefined();
  });

  it('takes back what it wrote after the row was gone', async () => {
    const made = await scene.create({ name: 'late', template: 'plain' });
    const client = {
      ...scene.client,
      async apply(...parameters: Parameters<typeof scene.client.apply>) {
        await scene.database.execute('delete from deployments where id = $1', [made.id]);
        return scene.client.apply(...parameters);
      },
    } as typeof scene.client;
    await applyDeployment({ ...applyDeps(), client }, made.id);
    expect((await scene.resource('late'))?.metadata.deletionTimestamp).toBeDefined();
  });

  it('keeps an entry that was written anew while the old one was worked on', async () => {
    const made = await scene.create({ name: 'anew', template: 'plain' });
    const claimed = await claimNext(scene.database);
    await patch(made.id, { values: { title: 'later' } });
    if (claimed) await finish(scene.database, claimed);
    expect(await queued()).toBe(1);
    await drain();
    expect((await scene.resource('anew'))?.spec.services[0]?.env?.[0]?.value).toBe('later');
  });

  it('is safe on several servers at once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `many-${index}`);
    for (const name of names) await scene.create({ name, template: 'plain' }, scene.stranger);
    const deps = { ...applyDeps(), logger: scene.logger };
    const servers = Array.from({ length: 3 }, () =>
      createApplier({
        ...deps,
        timer: { now: Date.now, monotonic: Date.now, after: () => () => undefined, random: () => 0 },
      }),
    );
    await Promise.all(
      servers.map(async (server) => {
        while (await server.step());
      }),
    );
    for (const name of names) expect(await scene.resource(name, scene.stranger)).toBeDefined();
    expect(await queued()).toBe(0);
  });

  it('takes back what somebody added, when the row no longer has it', async () => {
    const made = await scene.create({ name: 'shared', template: 'plain' });
    await drain();
    const present = await scene.resource('shared');
    const web = present?.spec.services[0];
    const env = [...(web?.env ?? []), { name: 'EXTRA', value: 'x' }];
    await scene.kubectlEdit('shared', { services: [{ ...web, env } as UserDeploymentSpec['services'][0]] });
    await patch(made.id, { values: { title: 'B' } });
    await drain();
    expect((await scene.resource('shared'))?.spec.services[0]?.env).toEqual([{ name: 'TITLE', value: 'B' }]);
  });
});

describe('a delete', () => {
  it('deletes the resource by its UID, and lets the record decide when it is over', async () => {
    const made = await scene.create({ name: 'del', template: 'plain' });
    await drain();
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${made.id}`);
    await drain();
    expect((await scene.resource('del'))?.metadata.deletionTimestamp).toBeDefined();
    expect(await scene.shown('del')).toMatchObject({ desired: 'deleted' });
  });

  it('of what never reached the cluster ends at once', async () => {
    const made = await scene.create({ name: 'never', template: 'vault', values: { password: 'x' } });
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${made.id}`);
    await drain();
    expect(await scene.shown('never')).toBeUndefined();
    expect(await scene.database.query('select 1 from secrets where path = $1', [made.id])).toEqual([]);
    expect(await scene.database.query('select 1 from host_claims where deployment_id = $1', [made.id])).toEqual([]);
  });
});

describe('failures', () => {
  const failing = (error: KubeError) => {
    const get = () => Promise.reject(error);
    return createApplier({
      ...applyDeps(),
      client: { ...scene.client, get },
      logger: scene.logger,
      timer: { now: Date.now, monotonic: Date.now, after: () => () => undefined, random: () => 0.5 },
    });
  };
  const due = () => scene.database.execute("update outbox set not_before = now() - interval '1 second'");

  it('are tried again, and shown once they last', async () => {
    await scene.create({ name: 'retry', template: 'plain' });
    const applier = failing(new KubeError(503, 'ServiceUnavailable', 'connection refused'));
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect((await scene.shown('retry'))?.message).toBeUndefined();
      await due();
      expect(await applier.step()).toBe(true);
    }
    expect((await scene.shown('retry'))?.message).toContain('the cluster does not answer just now');
    await due();
    await drain();
    expect((await scene.shown('retry'))?.message).toBeUndefined();
    expect(await scene.resource('retry')).toBeDefined();
  });

  it('that the API server will repeat are shown at once, with what to do', async () => {
    await scene.create({ name: 'quota', template: 'plain' });
    await failing(new KubeError(403, 'Forbidden', 'exceeded quota: berth-plan')).step();
    expect((await scene.shown('quota'))?.message).toMatch(/quota in the cluster is used up.*Delete something/);
    await due();
    await failing(new KubeError(422, 'Invalid', 'spec.services[0].image: Required value')).step();
    expect((await scene.shown('quota'))?.message).toContain('spec.services[0].image');
    await due();
    await drain();
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((onResolve) => {
    resolve = onResolve;
  });
  return { promise, resolve };
}
