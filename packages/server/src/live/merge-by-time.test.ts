import { describe, expect, it } from 'vitest';
import { mergeBy } from './merge-by-time.ts';

async function collect(...sources: string[][]): Promise<string[]> {
  async function* of(items: string[]) {
    yield* items;
  }
  const all: string[] = [];
  for await (const item of mergeBy(sources.map(of), (text) => text.slice(0, 1))) all.push(item);
  return all;
}

describe('sequences merged', () => {
  it('are in order, and of equal ones the earlier sequence comes first', async () => {
    expect(await collect(['1a', '3a', '3b'], [], ['2c', '3c', '4c'])).toEqual(['1a', '2c', '3a', '3b', '3c', '4c']);
  });

  it('are let go of when the reader stops', async () => {
    const ended: string[] = [];
    async function* endless(name: string) {
      try {
        for (;;) yield name;
      } finally {
        ended.push(name);
      }
    }
    for await (const _ of mergeBy([endless('a'), endless('b')], (text) => text)) break;
    expect(ended.sort()).toEqual(['a', 'b']);
  });
});
