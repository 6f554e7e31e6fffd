import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKubectl, type Kubectl, startKubectl } from './testing/kubectl.ts';
import { startTestServer, type TestServer } from './testing/start-test-server.ts';

const KIB = 1024;
const program = findKubectl(process.env);
if (!program)
  console.warn('\nNO KUBECTL: nothing of kubectl.test.ts is tested. Name one in KUBECTL, or put it on the PATH.\n');

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat', shortNames: ['bt'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.masts', statusReplicasPath: '.status.masts' },
        },
        additionalPrinterColumns: [
          { name: 'Masts', type: 'integer', jsonPath: '.spec.masts' },
          { name: 'Cargo', type: 'string', jsonPath: '.spec.cargo', priority: 1 },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A boat that somebody has.',
            properties: {
              spec: {
                type: 'object',
                description: 'What is wanted of it.',
                properties: {
                  masts: { type: 'integer', minimum: 0, maximum: 7, description: 'How many it has.' },
                  cargo: { type: 'string' },
                },
              },
              status: { type: 'object', properties: { masts: { type: 'integer' }, phase: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
};
const boat = (spec: object, name = 'argo') => ({
  apiVersion: 'example.dev/v1',
  kind: 'Boat',
  metadata: { name },
  spec,
});
const configMap = (data: object, name = 'settings') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
const deployment = (image = 'berth.dev/whoami:1') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
  },
});

describe.skipIf(!program)('kubectl', () => {
  let test: TestServer;
  let kubectl: Kubectl;
  beforeAll(async () => {
    test = await startTestServer();
    kubectl = await startKubectl(program!, await test.server.kubeconfig({ name: 'admin', groups: ['system:masters'] }));
    await kubectl.run('create -f -', definition);
    await kubectl.run('create serviceaccount default');
  });
  afterAll(async () => {
    await kubectl.stop();
    await test.close();
  });
  /** One field, as text. */
  const field = (what: string, path: string) => kubectl.run(`get ${what} -o jsonpath={${path}}`);

  it('finds the kinds there are, and what they mean', async () => {
    const kinds = await kubectl.run('api-resources');
    expect(kinds).toMatch(/^boats +bt +example\.dev\/v1 +true +Boat$/m);
    expect(kinds).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m);
    expect(await kubectl.run('explain boat.spec.masts')).toContain('How many it has.');
    expect(await kubectl.run('explain deployment.spec.replicas')).toMatch(/FIELD: replicas <integer>/);
    expect(await kubectl.run('version')).toMatch(/Server Version: v1\.34/);
  });

  it('creates, shows and describes', async () => {
    expect(await kubectl.run('create -f -', deployment())).toBe('deployment.apps/web created\n');
    expect(await kubectl.run('create -f -', boat({ masts: 1, cargo: 'wool' }, 'shown'))).toBe(
      'boat.example.dev/shown created\n',
    );
    expect(await kubectl.run('get deploy web')).toMatch(
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/2 +0 +0 +\d+s\n$/,
    );
    expect(await kubectl.run('get deploy web -o wide')).toMatch(
      /CONTAINERS +IMAGES +SELECTOR\nweb .* main +berth\.dev\/whoami:1 +app=web\n$/,
    );
    expect(await kubectl.run('get bt shown')).toMatch(/^NAME +MASTS\nshown +1\n$/);
    expect(await kubectl.run('get bt shown -o wide')).toMatch(/^NAME +MASTS +CARGO\nshown +1 +wool\n$/);
    expect(await kubectl.run('describe deploy web')).toMatch(/Image: +berth\.dev\/whoami:1/);
    expect(await kubectl.run('describe bt shown')).toMatch(/Spec:\n {2}Cargo: +wool\n {2}Masts: +1\n/);
    expect(await kubectl.run('create configmap literal --from-literal=a=b')).toBe('configmap/literal created\n');
    const again = await kubectl.try('create configmap literal --from-literal=a=b');
    expect(again.error).toBe('error: failed to create configmap: configmaps "literal" already exists\n');
  });

  it('runs a pod, and one that the namespace has no place for', async () => {
    expect(await kubectl.run('run bare --image=x')).toBe('pod/bare created\n');
    await kubectl.run('create namespace team');
    await kubectl.run('label namespace team pod-security.kubernetes.io/enforce=restricted');
    await kubectl.run('create serviceaccount default -n team');
    const { code, error } = await kubectl.try('run bare --image=x -n team');
    expect(code).toBe(1);
    expect(error).toContain(
      'Error from server (Forbidden): pods "bare" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "bare" must set securityContext.allowPrivilegeEscalation=false)',
    );
    const warned = await kubectl.try('create deployment bare --image=x -n team');
    expect(warned).toMatchObject({ code: 0, out: 'deployment.apps/bare created\n' });
    expect(warned.error).toMatch(
      /^Warning: would violate PodSecurity "restricted:latest": .*"RuntimeDefault" or "Localhost"\)$/m,
    );
  });

  it('applies from the client: three-way, and removes what the file no longer says', async () => {
    expect(await kubectl.run('apply -f -', configMap({ a: '1', b: '2' }))).toBe('configmap/settings created\n');
    await kubectl.run('patch cm settings --type=merge -p {"data":{"other":"x"}}');
    expect(await kubectl.run('apply -f -', configMap({ a: '3' }))).toBe('configmap/settings configured\n');
    expect(JSON.parse(await field('cm settings', '.data'))).toEqual({ a: '3', other: 'x' });
    expect(await kubectl.run('apply -f -', configMap({ a: '3' }))).toBe('configmap/settings unchanged\n');
    for (const masts of [1, 2]) await kubectl.run('apply -f -', boat({ masts }, 'client'));
    expect(await field('bt client', '.spec.masts')).toBe('2');
  });

  it('applies at the server, says who else owns a field, and takes it by force', async () => {
    expect(await kubectl.run('apply --server-side -f -', deployment())).toBe(
      'deployment.apps/web serverside-applied\n',
    );
    const input = boat({ masts: 3 });
    expect(await kubectl.run('apply --server-side -f -', input)).toBe('boat.example.dev/argo serverside-applied\n');
    const conflict = await kubectl.try('apply --server-side --field-manager=other -f -', boat({ masts: 4 }));
    expect(conflict.error).toContain('Apply failed with 1 conflict: conflict with "kubectl": .spec.masts');
    await kubectl.run('apply --server-side --field-manager=other --force-conflicts -f -', boat({ masts: 4 }));
    expect(await field('bt argo', '.spec.masts')).toBe('4');
  });

  it('shows what an apply would change, and changes nothing', async () => {
    await kubectl.run('apply -f -', configMap({ a: 'old' }, 'differing'));
    const { code, out } = await kubectl.try('diff -f -', configMap({ a: 'new' }, 'differing'));
    expect(code).toBe(1);
    expect(out).toMatch(/^- {2}a: old$/m);
    expect(out).toMatch(/^\+ {2}a: new$/m);
    const applied = await kubectl.try('diff --server-side -f -', boat({ masts: 5, cargo: 'tin' }, 'differing'));
    expect(applied.out).toMatch(/^\+ {2}cargo: tin$/m);
    expect(await field('cm differing', '.data.a')).toBe('old');
    expect((await kubectl.try('get bt differing')).error).toBe(
      'Error from server (NotFound): boats.example.dev "differing" not found\n',
    );
  });

  it('edits, replaces and patches', async () => {
    await kubectl.run('apply -f -', configMap({ a: 'before' }, 'edited'));
    await kubectl.run('apply -f -', boat({ masts: 1, cargo: 'before' }, 'edited'));
    await kubectl.file('editor', '#!/bin/sh\nsed -i s/before/after/ "$1"\n');
    expect(await kubectl.run('edit cm edited')).toBe('configmap/edited edited\n');
    expect(await kubectl.run('edit bt edited')).toBe('boat.example.dev/edited edited\n');
    expect([await field('cm edited', '.data.a'), await field('bt edited', '.spec.cargo')]).toEqual(['after', 'after']);
    await kubectl.run('replace -f -', configMap({ b: '1' }, 'edited'));
    expect(await field('cm edited', '.data')).toBe('{"b":"1"}');
    await kubectl.run(
      'patch deploy web -p {"spec":{"template":{"spec":{"containers":[{"name":"main","image":"y"}]}}}}',
    );
    expect(await field('deploy web', '.spec.template.spec.containers[*].image')).toBe('y');
    await kubectl.run('patch bt edited --type=json -p [{"op":"replace","path":"/spec/masts","value":6}]');
    expect(await field('bt edited', '.spec.masts')).toBe('6');
    const { error } = await kubectl.try('patch bt edited --type=merge -p {"spec":{"masts":8}}');
    expect(error).toContain('spec.masts: Invalid value: 8: spec.masts in body should be less than or equal to 7');
  });

  it('labels, annotates, scales and restarts', async () => {
    await kubectl.run('create -f -', boat({ masts: 1 }, 'changed'));
    expect(await kubectl.run('label bt changed colour=red')).toBe('boat.example.dev/changed labeled\n');
    expect(await kubectl.run('get bt -l colour=red -o name')).toBe('boat.example.dev/changed\n');
    await kubectl.run('label bt changed colour-');
    expect(await field('bt changed', '.metadata.labels')).toBe('');
    await kubectl.run('annotate deploy web note=hello');
    expect(await field('deploy web', '.metadata.annotations.note')).toBe('hello');
    expect(await kubectl.run('scale deploy web --replicas=3 --current-replicas=2')).toBe(
      'deployment.apps/web scaled\n',
    );
    expect(await kubectl.run('scale bt changed --replicas=2')).toBe('boat.example.dev/changed scaled\n');
    expect([await field('deploy web', '.spec.replicas'), await field('bt changed', '.spec.masts')]).toEqual(['3', '2']);
    expect(await kubectl.run('rollout restart deploy web')).toBe('deployment.apps/web restarted\n');
    expect(await kubectl.run('get deploy web -o yaml')).toContain('kubectl.kubernetes.io/restartedAt');
  });

  it('waits for a state, and for an end', async () => {
    await kubectl.run('create -f -', boat({ masts: 1 }, 'awaited'));
    const waiting = kubectl.run('wait bt awaited --for=jsonpath={.status.phase}=Afloat --timeout=20s');
    await kubectl.run('patch bt awaited --subresource=status --type=merge -p {"status":{"phase":"Afloat"}}');
    expect(await waiting).toBe('boat.example.dev/awaited condition met\n');
    // Newer ones say from where.
    expect(await kubectl.run('delete bt awaited --wait')).toMatch(
      /^boat\.example\.dev "awaited" deleted( from default namespace)?\n$/,
    );
    expect(await kubectl.run('delete cm literal settings --ignore-not-found')).toContain('configmap "literal" deleted');
    expect(await kubectl.run('get cm literal --ignore-not-found')).toBe('');
  });

  it('asks what one may do, and who one is', async () => {
    expect(await kubectl.run('auth can-i create boats')).toBe('yes\n');
    expect(await kubectl.try('auth can-i create boats --as=jane')).toMatchObject({ code: 1, out: 'no\n' });
    expect(await kubectl.run('auth whoami')).toMatch(
      /Username +admin\nGroups +\[system:masters system:authenticated\]/,
    );
  });

  it('lets nobody act as somebody else without the right to', async () => {
    const jane = await startKubectl(program!, await test.server.kubeconfig({ name: 'jane', groups: [] }));
    expect((await jane.try('get --raw /api/v1/nodes --as=admin')).error).toBe(
      'Error from server (Forbidden): users "admin" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope\n',
    );
    expect((await jane.try('get --raw /api/v1/nodes --as=jane --as-group=system:masters')).code).toBe(1);
    expect(await jane.run('auth whoami -o jsonpath={.status.userInfo.username}')).toBe('jane');
    await jane.stop();
    const account = 'system:serviceaccount:default:default';
    expect(await kubectl.run(`auth whoami --as=${account} -o jsonpath={.status.userInfo.groups}`)).toBe(
      '["system:serviceaccounts","system:serviceaccounts:default","system:authenticated"]',
    );
  });

  it('tells whose a token is', async () => {
    const token = (await kubectl.run('create token default')).trim();
    const review = (text: string) => ({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: text },
    });
    expect(JSON.parse(await kubectl.run('create -o json -f -', review(token))).status).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:default:default' },
    });
    expect(
      JSON.parse(await kubectl.run('create -o json -f -', review(`${token}x`))).status.authenticated,
    ).toBeUndefined();
  });

  it('holds a file of 300 KiB when the server applies; the client cannot, and that is said', async () => {
    const large = boat({ masts: 1, cargo: 'x'.repeat(300 * KIB) }, 'large');
    for (let round = 0; round < 2; round++) await kubectl.run('apply --server-side -f -', large);
    expect(await field('bt large', '.spec.cargo')).toHaveLength(300 * KIB);
    const client = await kubectl.try('apply -f -', { ...large, metadata: { name: 'larger' } });
    expect(client.error).toContain(
      'The Boat "larger" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
    );
    const stored = await kubectl.try('apply --server-side -f -', boat({ cargo: 'x'.repeat(1600 * KIB) }, 'larger'));
    expect(stored.error).toBe('Error from server: etcdserver: request is too large\n');
    const sent = await kubectl.try('apply --server-side -f -', boat({ cargo: 'x'.repeat(3200 * KIB) }, 'larger'));
    expect(sent.error).toBe('Error from server (RequestEntityTooLarge): Request entity too large: limit is 3145728\n');
    expect(await kubectl.run('get bt larger --ignore-not-found')).toBe('');
  });
});
