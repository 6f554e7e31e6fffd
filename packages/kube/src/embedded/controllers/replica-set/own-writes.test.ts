import { expect, it } from 'vitest';
import { createFakeClock } from '../../../client/testing/fake-clock.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import { createOwnWrites } from './own-writes.ts';

const pod = (uid: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: uid, uid },
  spec: { containers: [] },
});
const uids = (pods: Pod[]) => pods.map(({ metadata }) => metadata.uid);

it('counts a pod just made until the cache shows it, and only once', () => {
  const writes = createOwnWrites(createFakeClock());
  writes.created('set', pod('a'));
  expect(uids(writes.overlay('set', []))).toEqual(['a']);
  expect(uids(writes.overlay('other', []))).toEqual([]);
  expect(uids(writes.overlay('set', [pod('a')]))).toEqual(['a']);
  expect(uids(writes.overlay('set', []))).toEqual([]);
});

it('does not count a pod just deleted that the cache still shows', () => {
  const writes = createOwnWrites(createFakeClock());
  writes.deleted(pod('a'));
  expect(uids(writes.overlay('set', [pod('a'), pod('b')]))).toEqual(['b']);
});
