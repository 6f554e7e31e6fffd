import type { UpdateStatus, UserDeploymentSpec } from '@berth/core/user-deployment';
import { describe, expect, it } from 'vitest';
import { owner, service, spec, userDeployment } from '../testing/fixtures.ts';
import { courseOf, isKept } from './effective-spec.ts';
import { type LastGood, lastGoodObject, readLastGood, specHashOf } from './last-good.ts';

const good = (of: UserDeploymentSpec): LastGood => {
  const object = lastGoodObject(owner(), userDeployment(), { spec: of, specHash: specHashOf(of) });
  const read = readLastGood([object]);
  if (!read) throw new Error('the record cannot be read');
  return read;
};
const stopped = (of: UserDeploymentSpec): UpdateStatus => ({
  state: 'stopped',
  generation: 2,
  specHash: specHashOf(of),
  since: '2026-01-01T00:00:00Z',
});
const course = (wanted: UserDeploymentSpec | undefined, lastGood?: LastGood, update?: UpdateStatus) =>
  courseOf({ wanted, specHash: wanted && specHashOf(wanted), lastGood, update });
const one = spec();
const two = spec({ services: [service({ image: 'two' })] });

describe('the course', () => {
  const cases: [string, ReturnType<typeof course>, string, UserDeploymentSpec | undefined][] = [
    ['the first version is built as it is wanted', course(one), 'first', one],
    ['the good version is built as it is wanted', course(one, good(one)), 'complete', one],
    ['another version is on its way', course(two, good(one)), 'progressing', two],
    ['one that failed is not built', course(two, good(one), stopped(two)), 'stopped', one],
    ['one after a failed one is on its way', course(two, good(one), stopped(spec())), 'progressing', two],
    ['nothing is built of what cannot be read', course(undefined, good(one)), 'unreadable', undefined],
    ['what goes back goes on', course(undefined, good(one), stopped(two)), 'unreadable', one],
  ];
  it.each(cases)('%s', (_name, found, state, built) => {
    expect(found.state).toBe(state);
    expect(found.spec?.services).toEqual(built?.services);
  });

  it('builds the good version while paused, but as it is to be stopped or started now', () => {
    const wanted = { ...two, paused: true, desired: 'stopped' as const, displayName: 'Shop' };
    const found = course(wanted, good(one));
    expect(found).toMatchObject({ state: 'paused', spec: { desired: 'stopped', displayName: 'Shop' } });
    expect(found.spec?.services).toEqual(one.services);
    expect(isKept(found, wanted)).toBe(true);
    const nothingWaits = { ...one, paused: true };
    expect(isKept(course(nothingWaits, good(one)), nothingWaits)).toBe(false);
  });

  it('keeps a stop over whatever is no other version', () => {
    const exposure = [{ host: 'a.localhost', service: 'web', port: 'http' }];
    for (const more of [{ paused: true }, { desired: 'stopped' as const }, { displayName: 'Shop' }, { exposure }]) {
      expect(course({ ...two, ...more }, good(one), stopped(two)).state).toBe('stopped');
    }
    expect(course({ ...two, restartedAt: 'now' }, good(one), stopped(two)).state).toBe('progressing');
  });

  it('lets addresses follow what is wanted, as far as the good version has what they lead to', () => {
    const exposure = (...hosts: [string, string][]) => hosts.map(([host, to]) => ({ host, service: to, port: 'http' }));
    const before = spec({ exposure: exposure(['a', 'web'], ['gone', 'web']) });
    const services = [service({ name: 'web', image: 'two' }), service({ name: 'new' })];
    const wanted = spec({ services, exposure: exposure(['a', 'new'], ['b', 'web'], ['c', 'new']) });
    expect(course(wanted, good(before), stopped(wanted)).spec?.exposure).toEqual(exposure(['a', 'web'], ['b', 'web']));
  });
});
