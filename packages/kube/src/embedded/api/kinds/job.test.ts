import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job } from '../../../schema/kinds/batch.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { CONTROLLER_REVISION, JOB } from '../../../schema/resources.ts';
import { type EmbeddedScene, startEmbeddedScene } from '../../testing/embedded-scene.ts';

let scene: EmbeddedScene;
beforeAll(async () => {
  scene = await startEmbeddedScene();
});
afterAll(() => scene.end());

function job(name: string, spec: Record<string, unknown> = {}): KubeObject {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x' }] } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: scene.namespace },
    spec: { template, ...spec },
  };
}

describe('a Job', () => {
  it('selects by labels that no other has, and defaults as the API promises', async () => {
    const made = (await scene.client.create(JOB, job('plain'))) as Job;
    const uid = made.metadata.uid;
    expect(made.spec).toMatchObject({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      suspend: false,
      completionMode: 'NonIndexed',
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
    });
    expect(made.spec.template.metadata?.labels).toMatchObject({ 'job-name': 'plain', 'controller-uid': uid });
  });

  it.each([
    ['a restart policy of services', { template: { spec: { containers: [{ name: 'main', image: 'x' }] } } }],
    ['what is not served', { successPolicy: { rules: [{ succeededCount: 1 }] } }],
    ['indexes', { completionMode: 'Indexed', completions: 2 }],
    ['a selector of somebody else', { selector: { matchLabels: { app: 'theirs' } } }],
  ])('with %s is refused', async (_what, spec) => {
    await expect(scene.client.create(JOB, job('bad', spec))).rejects.toMatchObject({ code: 422 });
  });

  it('keeps its template and counts up only', async () => {
    const made = (await scene.client.create(JOB, job('fixed'))) as Job;
    const other = structuredClone(made);
    other.spec.template.spec.containers[0]!.image = 'y';
    await expect(scene.client.replace(JOB, other)).rejects.toThrow(/spec.template.*immutable/);
    const counted = { ...made, status: { failed: 2 } };
    const after = await scene.client.replace<Job>(JOB, counted, { subresource: 'status' });
    const fewer = { ...after, status: { failed: 1 } };
    await expect(scene.client.replace(JOB, fewer, { subresource: 'status' })).rejects.toThrow(/decrease/);
  });

  it('that is deleted without a word waits for its pods to be let go', async () => {
    await scene.client.create(JOB, job('left'));
    const at = { namespace: scene.namespace, name: 'left' };
    await scene.client.delete(JOB, at);
    expect((await scene.client.get(JOB, at)).metadata.finalizers).toEqual(['orphan']);
  });
});

describe('a ControllerRevision', () => {
  const revision = (name: string, data: unknown): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, namespace: scene.namespace },
    revision: 1,
    data,
  });

  it('keeps its data for good, whatever is in it', async () => {
    const data = { spec: { deep: [{ a: null, b: 'text' }] }, kind: 'Any' };
    const made = await scene.client.create(CONTROLLER_REVISION, revision('one', data));
    expect(made.data).toEqual(data);
    const renumbered = await scene.client.replace(CONTROLLER_REVISION, { ...made, revision: 7 });
    expect(renumbered).toMatchObject({ revision: 7, data });
    await expect(scene.client.replace(CONTROLLER_REVISION, { ...renumbered, data: { spec: 1 } })).rejects.toThrow(
      /data.*immutable/,
    );
  });

  it('without data is refused', async () => {
    await expect(scene.client.create(CONTROLLER_REVISION, revision('none', undefined))).rejects.toThrow(/mandatory/);
  });
});
