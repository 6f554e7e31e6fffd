import { describe, expect, it } from 'vitest';
import { movedListen } from './listen-on-pod.ts';
import { runtimeSettings } from './settings.ts';

const settings = runtimeSettings({ LISTEN_ADDRESS: '127.64.0.9', LISTEN_PORTS: '{"80":8123}' });
const callback = () => undefined;

describe('where a program of somebody else listens', () => {
  it.each([
    [[3000], [3000, '127.64.0.9']],
    [
      [3000, callback],
      [3000, '127.64.0.9', callback],
    ],
    [
      ['3000', '0.0.0.0', callback],
      [3000, '127.64.0.9', callback],
    ],
    [
      [80, '::', 511, callback],
      [8123, '127.64.0.9', 511, callback],
    ],
    [
      [3000, undefined, callback],
      [3000, '127.64.0.9', undefined, callback],
    ],
    [
      [3000, '127.0.0.1', callback],
      [3000, '127.0.0.1', callback],
    ],
    [[{ port: 3000, exclusive: true }], [{ port: 3000, host: '127.64.0.9', exclusive: true }]],
    [
      [{ port: 80, host: '0.0.0.0' }, callback],
      [{ port: 8123, host: '127.64.0.9' }, callback],
    ],
    [[{ port: 1, host: 'localhost' }], [{ port: 1, host: 'localhost' }]],
    [
      ['/tmp/socket', callback],
      ['/tmp/socket', callback],
    ],
    [[{ path: '/tmp/socket' }], [{ path: '/tmp/socket' }]],
    [[], []],
  ])('%j becomes %j', (given, expected) => {
    expect(movedListen(given, settings)).toEqual(expected);
  });
});
