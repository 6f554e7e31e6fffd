import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  filesObjectName,
  isName,
  jobRunName,
  labelValue,
  nameSchema,
  namespaceOf,
  scheduledJobName,
  serviceObjectName,
  slug,
  versionName,
  volumeClaimName,
} from './names.ts';

const DNS_LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const name = fc.stringMatching(/^[a-z](-?[a-z0-9]){0,62}$/).filter(isName);

describe('names of Kubernetes objects', () => {
  it('are plain where that can be read back', () => {
    expect(serviceObjectName('guestbook', 'web')).toBe('guestbook-web');
    expect(volumeClaimName('guestbook', 'db', 'data')).toBe('guestbook-db-data');
    expect(namespaceOf('k3f9aaaaaaaaaaaa')).toBe('berth-k3f9aaaaaaaaaaaa');
  });

  it('differ for parts that join to the same text', () => {
    expect(serviceObjectName('a-b', 'c')).not.toBe(serviceObjectName('a', 'b-c'));
    expect(volumeClaimName('a', 'b-c', 'd')).not.toBe(volumeClaimName('a', 'b', 'c-d'));
  });

  it('differ for deployments that share 60 characters (field case 4)', () => {
    const shared = 'a'.repeat(60);
    const one = serviceObjectName(`${shared}x`, 'web');
    const two = serviceObjectName(`${shared}y`, 'web');
    expect(one).not.toBe(two);
    expect([one, two].every((each) => DNS_LABEL.test(each))).toBe(true);
  });

  it('are valid and injective for any parts', () => {
    fc.assert(
      fc.property(name, name, name, name, (a, b, c, d) => {
        const [one, two] = [serviceObjectName(a, b), serviceObjectName(c, d)];
        expect(one).toMatch(DNS_LABEL);
        expect(one === two).toBe(a === c && b === d);
        expect(volumeClaimName(a, b, c) === volumeClaimName(c, b, a)).toBe(a === c);
      }),
    );
  });

  it('of things that change are valid, and differ when their content does', () => {
    fc.assert(
      fc.property(name, name, fc.string(), fc.string(), (deployment, workload, one, two) => {
        for (const nameOf of [filesObjectName, jobRunName]) {
          expect(nameOf(deployment, workload, one)).toMatch(DNS_LABEL);
          expect(nameOf(deployment, workload, one) === nameOf(deployment, workload, two)).toBe(one === two);
        }
        expect(versionName(deployment, one)).toMatch(DNS_LABEL);
        expect(versionName(deployment, one) === versionName(workload, one)).toBe(deployment === workload);
      }),
    );
  });

  it('of scheduled jobs leave room for what is added to each run, and stay injective', () => {
    fc.assert(
      fc.property(name, name, name, name, (a, b, c, d) => {
        const [one, two] = [scheduledJobName(a, b), scheduledJobName(c, d)];
        expect(one).toMatch(DNS_LABEL);
        expect(one.length).toBeLessThanOrEqual(52);
        expect(one === two).toBe(a === c && b === d);
      }),
    );
    expect(scheduledJobName('shop', 'report')).toBe('shop-report');
  });

  it('refuse 64 characters and two hyphens in a row with the rule in the message (field case 4)', () => {
    expect(nameSchema.safeParse('a'.repeat(64)).error?.issues[0]?.message).toContain('63');
    for (const bad of ['a--b', '-a', 'a-', '1a', 'A', 'a_b', '']) expect(isName(bad)).toBe(false);
  });

  it('make a valid slug of anything', () => {
    fc.assert(fc.property(fc.string(), (text) => isName(slug(text))));
    expect(slug('My Shop!')).toBe('my-shop');
  });

  it('make label values that are valid and distinct', () => {
    expect(labelValue('guestbook')).toBe('guestbook');
    const long = 'x'.repeat(80);
    expect(labelValue(long)).toHaveLength(63);
    expect(labelValue(`${long}a`)).not.toBe(labelValue(`${long}b`));
  });
});
