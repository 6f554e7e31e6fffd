import { describe, expect, it } from 'vitest';
import type { ExternalSecret } from '../../kubernetes/external-secret.ts';
import { AT } from '../testing/fixtures.ts';
import { refreshIn, syncedVersionOf } from './sync-state.ts';

const make = (spec: ExternalSecret['spec'], refreshTime?: number): ExternalSecret => ({
  apiVersion: 'external-secrets.io/v1',
  kind: 'ExternalSecret',
  metadata: { name: 'a', generation: 2, annotations: { b: '1', a: '2' } },
  spec,
  ...(refreshTime !== undefined && { status: { refreshTime: new Date(refreshTime).toISOString() } }),
});

describe('the store is read again', () => {
  it.each([
    ['now, when it never was', make({ refreshInterval: '1h' }), 0],
    ['when its time has come', make({ refreshInterval: '1h' }, AT - 3_600_000), 0],
    ['in the rest of the interval', make({ refreshInterval: '1h' }, AT - 600_000), 3_000_000],
    ['every hour when nothing is said', make({}, AT), 3_600_000],
    ['never by the clock when the interval is zero', make({ refreshInterval: '0' }, AT), undefined],
    ['never by the clock when only changes count', make({ refreshPolicy: 'OnChange' }, AT), undefined],
    ['after one interval, when the last time lies ahead', make({ refreshInterval: '1m' }, AT + 9e9), 60_000],
  ])('%s', (_name, given, expected) => expect(refreshIn(given, AT)).toBe(expected));

  it('when the ExternalSecret has changed, not when its fields come in another order', () => {
    const one = make({});
    const other = { ...one, metadata: { ...one.metadata, annotations: { a: '2', b: '1' } } };
    expect(syncedVersionOf(other)).toBe(syncedVersionOf(one));
    expect(syncedVersionOf({ ...one, metadata: { ...one.metadata, generation: 3 } })).not.toBe(syncedVersionOf(one));
  });
});
