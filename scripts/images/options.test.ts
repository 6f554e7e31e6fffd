import { describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';

const KNOWN = ['berth', 'guestbook', 'postgres'];

describe('what npm run images is asked', () => {
  it('is all images under the usual name when nothing is said', () => {
    expect(readOptions([], KNOWN)).toEqual({ out: undefined, prefix: 'berth.dev', rootfs: undefined, names: KNOWN });
  });

  it('takes names, a registry, folders', () => {
    const parameters = [
      'postgres',
      '--prefix',
      'registry.example.com:5000/team/berth/',
      '--out',
      'a',
      '--rootfs',
      'b',
      'postgres',
    ];
    expect(readOptions(parameters, KNOWN)).toEqual({
      out: 'a',
      prefix: 'registry.example.com:5000/team/berth',
      rootfs: 'b',
      names: ['postgres'],
    });
  });

  it.each([
    [['nginx'], 'there is no image "nginx"; there are berth, guestbook, postgres'],
    [['--push'], 'there is no option --push'],
    [['--out'], '--out needs a value'],
    [['--out', '--rootfs', 'x'], '--out needs a value'],
    [['--prefix', 'https://registry.example.com'], '--prefix must be a registry and perhaps a path'],
    [['--prefix', 'Registry/Berth'], '--prefix must be a registry and perhaps a path'],
  ])('refuses %j', (parameters, message) => {
    expect(() => readOptions(parameters, KNOWN)).toThrow(message);
  });
});
