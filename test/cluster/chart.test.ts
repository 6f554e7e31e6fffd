import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/steps.mjs';
import { readAudit } from './audit.ts';
import { CHART, readCluster, refusal, sets } from './chart/chart-tools.ts';
import { NEWER_FIELD, OLDER_VERSION, packOlderChart } from './chart/older-chart.ts';
import { CONFINED_TO, PERMUTATIONS, REFUSALS, TRIAL } from './chart/permutations.ts';
import { FORBIDDEN } from './chart/rights.ts';
import { stubDefinitions } from './chart/stub-definitions.ts';
import { clusterTools } from './helm.ts';

/** The chart on the cluster where it is installed: what it takes and refuses, which rights it gives, and how it is upgraded. */
const NAMESPACE = 'berth-system';
const RELEASE = 'berth';
const TRY = 'chart-try';
const OBJECTS = 'chart-objects';

const cluster = readCluster();
const tools = clusterTools(cluster);
const { helm, kubectl } = tools;
const scratch = mkdtempSync(join(tmpdir(), 'berth-chart-'));
const account = (who: string) => `system:serviceaccount:${NAMESPACE}:${RELEASE}-${who}`;

/** Of itself Helm thinks of whatever Kubernetes it was built beside. */
const render = (values: object) =>
  helm('template', RELEASE, CHART, '--namespace', TRY, '--kube-version', '1.34.0', ...sets(values));

async function apply(objects: object | string, ...parameters: string[]): Promise<string> {
  const file = join(scratch, 'objects.yaml');
  writeFileSync(file, typeof objects === 'string' ? objects : JSON.stringify(objects));
  return kubectl('apply', '--server-side', '--force-conflicts', '-f', file, ...parameters);
}

const namespace = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

beforeAll(async () => {
  await apply(
    namespace(TRY, {
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/warn': 'restricted',
    }),
  );
  for (const name of [CONFINED_TO, OBJECTS]) await apply(namespace(name));
  for (const definition of stubDefinitions()) await apply(definition);
  await kubectl('wait', '--for=condition=Established', 'customresourcedefinition', '--all', '--timeout=60s');
});
afterAll(async () => {
  for (const { metadata } of stubDefinitions()) await kubectl('delete', 'customresourcedefinition', metadata.name);
  await kubectl('delete', 'userdeployment', '--all', '-n', OBJECTS, '--timeout=60s');
  await kubectl('delete', 'namespace', TRY, CONFINED_TO, OBJECTS, '--wait=false');
  rmSync(scratch, { recursive: true, force: true });
});

describe('the chart', () => {
  it('is without fault for "helm lint"', async () => {
    expect(await helm('lint', CHART, '--strict', ...sets(TRIAL))).toContain('0 chart(s) failed');
  });

  it.each(Object.entries(PERMUTATIONS))('can be installed as %s', async (_name, values) => {
    const rendered = await render(values);
    await apply(rendered, '--dry-run=server', '--warnings-as-errors');
  });

  it.each(Object.entries(REFUSALS))('refuses %s and says what to do', async (_name, { values, says }) => {
    expect(await refusal(render(values))).toMatch(says);
  });

  it('refuses to work beside a release that works everywhere', async () => {
    const said = await refusal(
      helm('install', 'second', CHART, '--namespace', TRY, '--dry-run=server', ...sets(TRIAL)),
    );
    expect(said).toContain(`Berth is installed in this cluster already, as ${RELEASE} in the namespace ${NAMESPACE}`);
  });

  it('renders the same twice, so that nothing moves where a tool renders it', async () => {
    expect(await render(TRIAL)).toBe(await render(TRIAL));
  });

  it('is what the manifests hold', () => {
    const env = { ...process.env, BERTH_HELM: join(cluster.bin, 'helm') };
    const said = execFileSync(process.execPath, ['scripts/manifests.mjs', '--check'], { cwd: root, env });
    expect(String(said)).toContain('The manifests are what the chart renders');
  });

  it('can be applied by kustomize', async () => {
    const rendered = await kubectl('kustomize', join(root, 'deploy/manifests/example'));
    expect(rendered).not.toContain('berth.example.com');
    await apply(rendered.replaceAll('namespace: berth\n', `namespace: ${TRY}\n`), '--dry-run=server');
  });
});

describe('the rights', () => {
  it.each(FORBIDDEN)('hold no way for the %s to %s', async (who, what) => {
    const said = await kubectl('auth', 'can-i', ...what.split(' '), '-A', '--as', account(who)).catch(
      (error: { stdout?: string }) => error.stdout ?? '',
    );
    expect(said.trim()).toBe('no');
  });

  it('keep the operator to namespaces of teams, and to pods that hold none', async () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'intruder', namespace: OBJECTS },
      spec: {
        selector: { matchLabels: { app: 'intruder' } },
        template: {
          metadata: { labels: { app: 'intruder' } },
          spec: { automountServiceAccountToken: false, containers: [{ name: 'a', image: 'a' }] },
        },
      },
    };
    const asOperator = (object: object) => refusal(apply(object, '--as', account('operator'), '--dry-run=server'));
    expect(await asOperator(deployment)).toContain('writes only in namespaces with the label berth.dev/team');
    await kubectl('label', 'namespace', OBJECTS, 'berth.dev/team=chart');
    expect(await asOperator(deployment)).toBe('it was not refused');
    const { template } = deployment.spec;
    const privileged = { ...template, spec: { ...template.spec, serviceAccountName: 'admin' } };
    expect(await asOperator({ ...deployment, spec: { ...deployment.spec, template: privileged } })).toContain(
      'no pod with a service account of its own choice',
    );
    const token = { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } };
    const holding = { ...template, spec: { ...template.spec, volumes: [token] } };
    expect(await asOperator({ ...deployment, spec: { ...deployment.spec, template: holding } })).toContain(
      'no pod that holds a token',
    );
    await kubectl('label', 'namespace', OBJECTS, 'berth.dev/team-');
  });

  it('keep the server to namespaces that are named after their team', async () => {
    const asServer = (object: object) => refusal(apply(object, '--as', account('server'), '--dry-run=server'));
    expect(await asServer(namespace('anything'))).toContain('named after their team');
    expect(await asServer(namespace('kube-system', { 'berth.dev/team': 'x' }))).toContain('named after their team');
    const held = (level: string) => ({ 'berth.dev/team': 'abc', 'pod-security.kubernetes.io/enforce': level });
    expect(await asServer(namespace('berth-abc', held('restricted')))).toBe('it was not refused');
    expect(await asServer(namespace('berth-abc', held('privileged')))).toContain('takes no restriction');
  });

  it('keep grants to the server, whoever may write the status of a resource', async () => {
    const at = { name: 'forger', namespace: OBJECTS };
    const resource = { apiVersion: 'berth.dev/v1alpha1', kind: 'UserDeployment', metadata: at };
    await apply({ ...resource, spec: { services: [{ name: 'web', image: 'berth.dev/whoami:1' }] } });
    const write = (status: object, ...as: string[]) =>
      refusal(
        apply({ ...resource, status }, '--subresource=status', '--field-manager=chart-test', '--dry-run=server', ...as),
      );
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const admitted = { type: 'Admitted', status: 'True', reason: 'Forged', message: '', lastTransitionTime };
    const forged = [{ grantedHosts: ['bank.apps.test'] }, { conditions: [admitted] }];
    for (const status of forged) expect(await write(status)).toContain('only the server of Berth says');
    for (const status of forged) expect(await write(status, '--as', account('server'))).toBe('it was not refused');
    expect(await write({ phase: 'Running' }, '--as', account('operator'))).toBe('it was not refused');
  });

  it('were enough for all that server and operator have done here', async () => {
    if (!cluster.auditLog) throw new Error('the cluster keeps no audit log');
    for (const who of ['server', 'operator']) {
      const events = await readAudit(cluster.auditLog, { user: account(who) });
      expect(events.length).toBeGreaterThan(0);
      const refused = events.filter(({ responseStatus }) => responseStatus?.code === 403);
      expect(refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`).slice(0, 5)).toEqual([]);
    }
  });
});

describe('a release', () => {
  const place = ['--namespace', NAMESPACE];
  const valuesFile = join(scratch, 'values.yaml');
  const values = ['--values', valuesFile];
  const patient = ['--wait', '--timeout', '5m'];
  const stored = async () => {
    const object = JSON.parse(await kubectl('get', 'userdeployment', 'kept', '-n', OBJECTS, '-o', 'json')) as {
      metadata: { uid: string };
      spec: Record<string, unknown>;
    };
    return { uid: object.metadata.uid, spec: object.spec };
  };
  const keys = async () => kubectl('get', 'secret', `${RELEASE}-keys`, ...place, '-o', 'jsonpath={.data}');
  const spec = { services: [{ name: 'web', image: 'berth.dev/whoami:1' }] };
  let keysBefore: string;
  let uid: string;

  beforeAll(async () => writeFileSync(valuesFile, await helm('get', 'values', RELEASE, ...place, '-o', 'yaml')));

  it('goes back to a chart of before, whose definition is older, and keeps every key', async () => {
    keysBefore = await keys();
    await helm('upgrade', RELEASE, await packOlderChart(tools, scratch), ...place, ...values, ...patient);
    await apply({
      apiVersion: 'berth.dev/v1alpha1',
      kind: 'UserDeployment',
      metadata: { name: 'kept', namespace: OBJECTS },
      spec,
    });
    uid = (await stored()).uid;
    const change = JSON.stringify({ spec: { [NEWER_FIELD]: 'now' } });
    await kubectl('patch', 'userdeployment', 'kept', '-n', OBJECTS, '--type=merge', '-p', change);
    expect(await stored()).toEqual({ uid, spec });
    expect(await keys()).toBe(keysBefore);
  });

  it('brings the newer definition by an upgrade, and loses no object', async () => {
    await helm('upgrade', RELEASE, CHART, ...place, ...values, ...patient);
    expect(await stored()).toEqual({ uid, spec });
    const change = JSON.stringify({ spec: { [NEWER_FIELD]: 'now' } });
    await kubectl('patch', 'userdeployment', 'kept', '-n', OBJECTS, '--type=merge', '-p', change);
    expect(await stored()).toEqual({ uid, spec: { ...spec, [NEWER_FIELD]: 'now' } });
    expect(await helm('test', RELEASE, ...place, '--logs')).toMatch(/\/readyz: 200/);
  });

  it('can be rolled back, and made again', async () => {
    const history = JSON.parse(await helm('history', RELEASE, ...place, '-o', 'json')) as {
      revision: number;
      chart: string;
    }[];
    const older = history.findLast(({ chart }) => chart === `berth-${OLDER_VERSION}`);
    await helm('rollback', RELEASE, String(older?.revision), ...place, ...patient);
    expect((await stored()).uid).toBe(uid);
    await helm('upgrade', RELEASE, CHART, ...place, ...values, ...patient);
    expect((await stored()).uid).toBe(uid);
    expect(await keys()).toBe(keysBefore);
  });

  it('leaves what people made when it is removed, and the next installation takes it up', async () => {
    const claim = () =>
      kubectl('get', 'persistentvolumeclaim', `data-${RELEASE}-postgres-0`, ...place, '-o', 'jsonpath={.metadata.uid}');
    const claimBefore = await claim();
    await helm('uninstall', RELEASE, ...place, ...patient);
    expect((await stored()).uid).toBe(uid);
    expect(await keys()).toBe(keysBefore);
    expect(await claim()).toBe(claimBefore);
    const left = await kubectl(
      'get',
      'deployment,statefulset,service,serviceaccount,role,rolebinding,networkpolicy,ingress,clusterrole,clusterrolebinding,validatingadmissionpolicy',
      ...place,
      '-l',
      `app.kubernetes.io/instance=${RELEASE}`,
      '-o',
      'name',
    );
    expect(left.trim()).toBe('');
    await helm('install', RELEASE, CHART, ...place, ...values, ...patient);
    expect((await stored()).uid).toBe(uid);
    expect(await helm('test', RELEASE, ...place, '--logs')).toMatch(/\/api\/me: 401/);
  });
});
