import { type EmbeddedScene, startEmbeddedScene } from '@berth/kube/embedded/testing/embedded-scene';
import type { KubeObject } from '@berth/kube/schema/object';
import { CUSTOM_RESOURCE_DEFINITION } from '@berth/kube/schema/resources';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { definitionFiles } from './definition-files.ts';
import { DEFINITIONS_MANAGER, hasDefinitions, installDefinitions } from './definitions.ts';
import { EXTERNAL_SECRET, SECRET_STORE, USER_DEPLOYMENT } from './resource-types.ts';

let scene: EmbeddedScene;
beforeAll(async () => {
  scene = await startEmbeddedScene();
});
afterAll(() => scene.end());

const find = (name: string) => scene.client.get<KubeObject>(CUSTOM_RESOURCE_DEFINITION, { name });
const version = (object: KubeObject) => object.metadata.annotations?.['berth.dev/definition-version'];

describe('definitions', () => {
  it('make every kind usable at once, and are the same when installed again', async () => {
    await installDefinitions(scene.client, { externalSecrets: 'install-if-missing' });
    for (const type of [USER_DEPLOYMENT, EXTERNAL_SECRET, SECRET_STORE]) {
      expect((await scene.client.list(type)).items).toEqual([]);
    }
    const before = await find('userdeployments.berth.dev');
    await installDefinitions(scene.client, { externalSecrets: 'install-if-missing' });
    expect((await find('userdeployments.berth.dev')).metadata.generation).toBe(before.metadata.generation);
  });

  it('leave what External Secrets installed itself, and what a newer Berth installed', async () => {
    const name = 'secretstores.external-secrets.io';
    const body = { metadata: { annotations: { 'berth.dev/definition-version': null, own: 'yes' } } };
    await scene.client.patch(CUSTOM_RESOURCE_DEFINITION, { name }, { type: 'merge', body });
    const newer = { metadata: { annotations: { 'berth.dev/definition-version': '99' } } };
    const ours = { name: 'userdeployments.berth.dev' };
    await scene.client.patch(CUSTOM_RESOURCE_DEFINITION, ours, { type: 'merge', body: newer });
    await installDefinitions(scene.client, { externalSecrets: 'install-if-missing' });
    expect(version(await find(name))).toBeUndefined();
    expect(version(await find(ours.name))).toBe('99');
  });

  it('that somebody removed are missed, and come back', async () => {
    expect(await hasDefinitions(scene.client)).toBe(true);
    await scene.client.delete(CUSTOM_RESOURCE_DEFINITION, { name: 'externalsecrets.external-secrets.io' });
    expect(await hasDefinitions(scene.client)).toBe(false);
    await installDefinitions(scene.client, { externalSecrets: 'install-if-missing' });
    expect(await hasDefinitions(scene.client)).toBe(true);
  });

  it('let a volume grow and never shrink', async () => {
    const name = 'vault';
    const resource = (size: string) => ({
      apiVersion: 'berth.dev/v1alpha1',
      kind: 'UserDeployment',
      metadata: { name, namespace: 'default' },
      spec: { services: [{ name: 'web', image: 'web:1', volumes: [{ name: 'data', mountPath: '/data', size }] }] },
    });
    const write = (size: string) =>
      scene.client.apply(USER_DEPLOYMENT, resource(size), { fieldManager: 'test', force: true });
    await write('1Gi');
    await expect(write('900Mi')).rejects.toThrow('a volume only grows');
    await write('1.5Gi');
    await scene.client.delete(USER_DEPLOYMENT, { name, namespace: 'default' });
  });

  it('are written by a manager of their own', async () => {
    const managers = (await find('externalsecrets.external-secrets.io')).metadata.managedFields?.map(
      (each) => each.manager,
    );
    expect(managers).toContain(DEFINITIONS_MANAGER);
  });
});

describe('definition files', () => {
  it('are YAML of what is installed', () => {
    const files = definitionFiles();
    expect(Object.keys(files)).toEqual([
      'userdeployments.berth.dev.yaml',
      'externalsecrets.external-secrets.io.yaml',
      'secretstores.external-secrets.io.yaml',
    ]);
    for (const [name, text] of Object.entries(files)) {
      expect(`${parse(text).metadata.name}.yaml`).toBe(name);
      expect(text).not.toMatch(/[&*]a\d/);
    }
  });
});
