import { KubeError } from '@berth/kube/schema/status';
import { describe, expect, it } from 'vitest';
import { applyFailure } from './apply-failure.ts';

const failure = (error: unknown, attempts = 0) => applyFailure(error, { attempts, random: () => 0.5, shownFrom: 3 });

describe('a failure to apply', () => {
  it('waits longer each time, to a limit, and is shown only when it lasts', () => {
    const error = new KubeError(503, 'ServiceUnavailable', 'refused');
    const delays = [0, 1, 2, 3, 20].map((attempts) => failure(error, attempts).delayMs);
    expect(delays).toEqual([500, 1000, 2000, 4000, 60_000]);
    expect(failure(error)).toMatchObject({ attempts: 1, refused: false });
  });

  it('of a cluster that is away does not say where it is', () => {
    const error = new KubeError(
      503,
      'ServiceUnavailable',
      'GET https://10.0.0.1:443/apis/berth.dev: connect ECONNREFUSED',
    );
    expect(failure(error).message).toMatch(/keeps trying: the cluster does not answer just now$/);
  });

  it.each([
    [new KubeError(422, 'Invalid', 'spec.x: bad'), /refuses this deployment.*spec\.x/],
    [new KubeError(403, 'Forbidden', 'exceeded quota: q'), /quota in the cluster/],
    [new KubeError(403, 'Forbidden', 'cannot patch'), /Ask whoever runs the cluster/],
    [new KubeError(413, 'RequestEntityTooLarge', 'limit is 3145728'), /too large/],
    [new KubeError(500, 'InternalError', 'etcdserver: request is too large'), /too large for the cluster/],
  ])('that will be repeated is told at once: %s', (error, message) => {
    expect(failure(error)).toMatchObject({ attempts: 3, refused: true, message: expect.stringMatching(message) });
  });

  it.each([
    new KubeError(409, 'Conflict', 'modified'),
    new KubeError(403, 'Forbidden', 'unable to create: namespace x because it is being terminated'),
    new Error('socket hang up'),
  ])('that passes is none to tell at once: %s', (error) => {
    expect(failure(error)).toMatchObject({ refused: false, attempts: 1 });
    expect(failure(error).conflict).toBe(error instanceof KubeError && error.reason === 'Conflict');
  });
});
