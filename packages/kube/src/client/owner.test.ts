import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../schema/object.ts';
import { DEPLOYMENT, NODE, POD, REPLICA_SET } from '../schema/resources.ts';
import { KubeError } from '../schema/status.ts';
import type { DeleteOptions } from './client.ts';
import { byControllerUid, controllerReference, deleteExactly, isControlledBy, isGoing, toController } from './owner.ts';

const owner: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'team', uid: 'u1' },
};
const child: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web-1', namespace: 'team', uid: 'u2', ownerReferences: [controllerReference(owner)] },
};

test('a child knows its controller by uid', () => {
  expect(isControlledBy(child, owner)).toBe(true);
  expect(byControllerUid(child)).toEqual(['u1']);
  const namesake = { ...owner, metadata: { ...owner.metadata, uid: 'u9' } };
  expect(isControlledBy(child, namesake)).toBe(false);
});

test('a child maps to the key of an owner of the asked type alone, in any version', () => {
  expect(toController(DEPLOYMENT)(child)).toEqual(['team/web']);
  expect(toController({ ...DEPLOYMENT, version: 'v2' })(child)).toEqual(['team/web']);
  expect(toController(REPLICA_SET)(child)).toEqual([]);
  expect(toController(NODE)(owner)).toEqual([]);
});

test('what was never stored cannot own', () => {
  expect(() => controllerReference({ ...owner, metadata: { name: 'web' } })).toThrow('Deployment web has no uid');
});

describe('case 14: an object deleted while it is reconciled and made again with the same name', () => {
  test('is told to be going', () => {
    expect(isGoing({ ...owner, metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })).toBe(
      true,
    );
    expect(isGoing(owner)).toBe(false);
  });

  test('deleting the old one never touches the new one, and counts as done', async () => {
    const asked: (DeleteOptions | undefined)[] = [];
    const client = {
      async delete(_type: unknown, _at: unknown, options?: DeleteOptions): Promise<undefined> {
        asked.push(options);
        throw new KubeError(409, 'Conflict', 'the UID in the precondition (u1) does not match the UID in record (u9)');
      },
    };
    await deleteExactly(client, DEPLOYMENT, { object: owner });
    expect(asked[0]?.preconditions).toEqual({ uid: 'u1' });
    const unknown = { ...owner, metadata: { name: 'web' } };
    await expect(deleteExactly(client, POD, { object: unknown })).rejects.toThrow('cannot be told from');
  });

  test('what was written to since it was seen stays, when that is asked for', async () => {
    const asked: (DeleteOptions | undefined)[] = [];
    const client = {
      async delete(_type: unknown, _at: unknown, options?: DeleteOptions): Promise<undefined> {
        asked.push(options);
      },
    };
    const seen = { ...owner, metadata: { ...owner.metadata, resourceVersion: '7' } };
    await deleteExactly(client, DEPLOYMENT, { object: seen, unchanged: true });
    expect(asked[0]?.preconditions).toEqual({ uid: 'u1', resourceVersion: '7' });
  });

  test('another conflict is passed on', async () => {
    const client = {
      async delete(): Promise<undefined> {
        throw new KubeError(409, 'Conflict', 'object was modified');
      },
    };
    await expect(deleteExactly(client, DEPLOYMENT, { object: owner })).rejects.toMatchObject({ code: 409 });
  });
});
