import { describe, expect, it } from 'vitest';
import { createReleaseWatch, isGonePart } from './release.ts';

function aWatch(own: string | undefined) {
  let now = 0;
  let told = 0;
  const watch = createReleaseWatch(own, () => now);
  watch.onNewer(() => {
    told += 1;
  });
  const note = (seconds: number, version: string | null) => {
    now = seconds * 1000;
    watch.note(version);
    return told;
  };
  return { note, watch };
}

describe('a page of an older release', () => {
  it('says so once every server has been newer for a while', () => {
    const { note, watch } = aWatch('1.9.0');
    expect(note(0, '1.10.0')).toBe(0);
    expect(note(10, '1.10.0')).toBe(0);
    expect(note(19, null)).toBe(0);
    expect(note(21, '1.10.0')).toBe(1);
    expect(note(60, '1.10.0')).toBe(1);
    expect(watch.isNewer()).toBe(true);
  });

  it('waits while servers of both releases answer', () => {
    const { note } = aWatch('1.0.0');
    for (let second = 0; second < 120; second += 2) expect(note(second, second % 4 === 0 ? '1.1.0' : '1.0.0')).toBe(0);
  });

  it('says nothing of a server that is older, or of its own release', () => {
    const { note } = aWatch('2.0.0');
    for (const version of ['1.9.9', '2.0.0', 'nonsense']) expect([note(0, version), note(60, version)]).toEqual([0, 0]);
    const unknown = aWatch(undefined);
    expect([unknown.note(0, '3.0.0'), unknown.note(60, '3.0.0')]).toEqual([0, 0]);
  });

  it('knows a part that is gone, in the words of each browser', () => {
    for (const words of [
      'Failed to fetch dynamically imported module: http://x/assets/a-1.js',
      'error loading dynamically imported module: http://x/assets/a-1.js',
      'Importing a module script failed.',
      'Unable to preload CSS for /assets/a-1.css',
    ]) {
      expect(isGonePart(new TypeError(words))).toBe(true);
    }
    expect(isGonePart(new TypeError('x is not a function'))).toBe(false);
  });
});
