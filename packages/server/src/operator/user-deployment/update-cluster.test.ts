import type { Service } from '@berth/core/service';
import type { UpdateStatus, UserDeploymentSpec } from '@berth/core/user-deployment';
import { EVENT, JOB, POD } from '@berth/kube/schema/resources';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import type { Pod } from '../kinds.ts';
import { type ClusterScene, IMAGE, SERVER, startClusterScene } from '../testing/cluster-scene.ts';
import { type RunningOperator, type Subject, subjectOf } from '../testing/operator-scene.ts';
import { until } from '../testing/until.ts';

/** Updates on a cluster whose pods really run. What each of many failures says is tested with made-up pods elsewhere. */
let scene: ClusterScene;
let operator: RunningOperator;
beforeAll(async () => {
  scene = await startClusterScene();
  operator = await scene.startOperator();
});
afterAll(() => scene.end());

function web(env: Record<string, string>, parts: Partial<Service> = {}): Service {
  return {
    name: 'web',
    image: IMAGE,
    args: [SERVER],
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    ports: [{ name: 'http', port: 8080 }],
    probes: { readiness: { http: { path: '/readyz', port: 'http' }, periodSeconds: 1, failureThreshold: 1 } },
    stopGraceSeconds: 1,
    ...parts,
  };
}

async function run(spec: UserDeploymentSpec): Promise<Subject> {
  const subject = subjectOf(scene.client, { name: 'shop', namespace: await scene.newNamespace() });
  await subject.create(spec);
  await subject.admit();
  if (spec.secretKeys) await subject.deliver('web', spec.secretVersion ?? '', { password: 'hunter2!' });
  await reaches(subject, 'complete');
  return subject;
}

const update = async (subject: Subject): Promise<UpdateStatus | undefined> => (await subject.read())?.status?.update;
const reaches = (subject: Subject, state: UpdateStatus['state'], generation?: number) =>
  until(
    `update ${state}`,
    async () => {
      const found = await update(subject);
      return found?.state === state && (generation === undefined || found.generation === generation) && found;
    },
    30_000,
  );
const runs = (subject: Subject) =>
  until('Running', async () => (await subject.read())?.status?.phase === 'Running', 15_000);

async function podsOf(subject: Subject): Promise<Pod[]> {
  const { items } = await scene.client.list<Pod>(POD, { namespace: subject.namespace });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** The operator's clock has moved: a change of the resource makes it look. */
async function forward(subject: Subject, seconds: number): Promise<void> {
  scene.clock.forward(seconds);
  const body = { metadata: { annotations: { looked: String(scene.clock.now()) } } };
  await scene.client.patch(
    USER_DEPLOYMENT,
    { name: subject.name, namespace: subject.namespace },
    { type: 'merge', body },
  );
}

describe.concurrent('an update that fails', () => {
  it('by crashing is stopped after three times, and the fix is rolled out', async () => {
    const subject = await run({ services: [web({ VERSION: '1' })] });
    const crash = "console.log('cannot read its settings'); process.exit(3)";
    await subject.edit(() => ({ services: [web({ VERSION: '2' }, { args: [crash] })] }));
    const stopped = await reaches(subject, 'stopped');
    expect(stopped.message).toMatch(/^web ended 3 times, the last time with exit code 3\.$/);
    expect(stopped.lastLines).toEqual(['cannot read its settings']);
    await runs(subject);
    await subject.edit(() => ({ services: [web({ VERSION: '3' })] }));
    expect(await reaches(subject, 'complete', 3)).not.toHaveProperty('message');
    await runs(subject);
  }, 60_000);

  it('of a service with a volume brings the old version back', async () => {
    const volumes = [{ name: 'data', mountPath: '/data', size: '10Mi' }];
    const subject = await run({ services: [web({ VERSION: '1' }, { volumes })] });
    await subject.edit(() => ({ services: [web({ VERSION: '2' }, { volumes, image: 'example.com/none:1' })] }));
    const stopped = await reaches(subject, 'stopped');
    expect(stopped.message).toMatch(/^The image example\.com\/none:1 of web cannot be pulled: /);
    await runs(subject);
    const [pod] = await podsOf(subject);
    expect(pod?.spec?.containers?.[0]?.image).toBe(IMAGE);
    const { items } = await scene.client.list(EVENT, { namespace: subject.namespace });
    expect(items.find(({ reason }) => reason === 'Replacing')?.message).toContain('web has a volume');
  }, 60_000);

  it('by its job is stopped before any pod is replaced; a job that has succeeded is not run again', async () => {
    const migrate = (script: string) => ({ name: 'migrate', image: IMAGE, args: [script], retries: 0 });
    const spec = (version: string, script: string): UserDeploymentSpec => ({
      services: [web({ VERSION: version }, { dependsOn: ['migrate'] })],
      jobs: [migrate(script)],
    });
    const subject = await run(spec('1', "console.log('migrated to 1')"));
    expect((await subject.read())?.status?.jobs).toMatchObject([{ name: 'migrate', state: 'Succeeded' }]);
    await subject.edit(() => spec('2', "console.log('no table shop'); process.exit(1)"));
    const stopped = await reaches(subject, 'stopped');
    expect(stopped).toMatchObject({ service: 'migrate', reason: 'JobFailed', lastLines: ['no table shop'] });
    expect(stopped.message).toBe('The job migrate ended with exit code 1.');
    await runs(subject);
    const runsOfJob = async () => (await scene.client.list(JOB, { namespace: subject.namespace })).items;
    expect(await runsOfJob()).toHaveLength(2);
    await subject.edit(() => spec('3', "console.log('migrated to 1')"));
    await reaches(subject, 'complete', 3);
    await until('the failed run to go', async () => (await runsOfJob()).length === 1);
  }, 60_000);
});

/** Alone and last: time is the same for all. */
describe('an update', () => {
  it('whose new pod never becomes ready is stopped, and says which probe failed and what the pod wrote last', async () => {
    const withPassword = (env: Record<string, string>): UserDeploymentSpec => {
      const { env: plain = [], ...rest } = web(env);
      const services = [{ ...rest, env: [...plain, { name: 'PASSWORD', secretKey: 'password' }] }];
      return { services, secretKeys: ['password'], secretVersion: '1' };
    };
    const subject = await run(withPassword({ VERSION: '1' }));
    const [before] = await podsOf(subject);
    await subject.edit(() => withPassword({ VERSION: '2', HEALTH: '500' }));
    await reaches(subject, 'progressing', 2);
    await until('the new pod is told to be ill', async () => {
      const { items } = await scene.client.list(EVENT, { namespace: subject.namespace });
      return items.some(({ message }) => String(message).includes('statuscode: 500'));
    });
    expect(await update(subject)).toMatchObject({ state: 'progressing' });
    await forward(subject, 300);
    const stopped = await reaches(subject, 'stopped', 2);
    expect(stopped).toMatchObject({ service: 'web', reason: 'NotReady' });
    expect(stopped.message).toMatch(/^The readiness probe of web \(GET \/readyz on http\) answered 500 for 30\d s\.$/);
    expect(stopped.lastLines).toEqual(['version 2 connects as app:[secret]']);
    await runs(subject);
    await until('the old pod alone', async () => (await podsOf(subject)).length === 1);
    expect((await podsOf(subject))[0]?.metadata.uid).toBe(before?.metadata.uid);
    const { items } = await scene.client.list(EVENT, { namespace: subject.namespace });
    expect(items.find(({ reason }) => reason === 'UpdateStopped')).toMatchObject({ type: 'Warning' });
  }, 60_000);
});

it('nothing of all this was an error', () => {
  expect(operator.logs.filter(({ level }) => level === 'error')).toEqual([]);
});
