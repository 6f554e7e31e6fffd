import { describe, expect, it } from 'vitest';
import { owner, service, spec, userDeployment } from '../testing/fixtures.ts';
import { lastGoodObject, readLastGood, specHashOf } from './last-good.ts';

const record = (of = spec(), generation = 1) => {
  const resource = userDeployment({ spec: of });
  const annotations = { 'berth.dev/revision': String(generation * 10) };
  const metadata = { ...resource.metadata, generation, annotations };
  return lastGoodObject(owner(), { ...resource, metadata }, { spec: of, specHash: specHashOf(of) });
};

describe('the record of a good version', () => {
  it('is owned, and named by its content, which never changes', () => {
    const [one, again, other] = [record(), record(spec(), 2), record(spec({ restartedAt: 'now' }))];
    expect(one.metadata).toMatchObject({ ownerReferences: [{ uid: 'uid-1', controller: true }] });
    expect(again.metadata.name).toBe(one.metadata.name);
    expect(other.metadata.name).not.toBe(one.metadata.name);
  });

  it('gives back the spec and the revision it came from; of two the newer', () => {
    const newer = spec({ services: [service({ image: 'new' })] });
    expect(readLastGood([record(spec(), 3), record(newer, 4)])).toMatchObject({
      spec: newer,
      revision: '40',
      specHash: specHashOf(newer),
    });
  });

  it('packs a spec of a megabyte, so that it fits', () => {
    const content = Array.from({ length: 60_000 }, (_, at) => `line ${at}`).join('\n');
    const large = spec({ services: [service({ files: [{ path: '/a', content: content.slice(0, 500_000) }] })] });
    const object = record(large);
    expect(JSON.stringify(object).length).toBeLessThan(300_000);
    expect(readLastGood([object])?.spec).toEqual(large);
  });

  it('is none when somebody has written over it, or when a rule of today refuses it', () => {
    expect(readLastGood([{ ...record(), data: { gzip: 'bm90aGluZw==' } }])).toBeUndefined();
    expect(readLastGood([{ ...record(), data: { spec: { services: [] } } }])).toBeUndefined();
    expect(readLastGood([])).toBeUndefined();
  });
});
