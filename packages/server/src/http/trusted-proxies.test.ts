import { describe, expect, it } from 'vitest';
import { LOOPBACK_NETWORKS, plainAddress, trustOf } from './trusted-proxies.ts';

describe('the proxies that are believed', () => {
  const trust = trustOf(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '2001:db8::1']);

  it.each([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['11.1.2.3', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['fd12:3456::1', true],
    ['2001:db8::1', true],
    ['2001:db8::2', false],
    ['127.0.0.1', false],
    ['', false],
    ['unknown', false],
  ])('are those of the networks: %s is %s', (address, believed) => {
    expect(trust(address)).toBe(believed);
  });

  it('are nobody where nobody is named, and on loopback this machine', () => {
    expect(trustOf([])('10.0.0.1')).toBe(false);
    expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].map(trustOf(LOOPBACK_NETWORKS))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });
});

describe('the address of a client', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:DB8::1]:4711', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', '10.0.0.1'],
    ["'; drop table users", '10.0.0.1'],
  ])('%s is written as %s', (told, expected) => {
    expect(plainAddress(told, '10.0.0.1')).toBe(expected);
  });

  it('is unknown where nothing is known', () => {
    expect(plainAddress('', undefined)).toBe('unknown');
  });
});
