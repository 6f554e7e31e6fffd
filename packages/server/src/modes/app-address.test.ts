import { expect, it } from 'vitest';
import { appAddress, appPlace } from './app-address.ts';

it.each([
  ['http://localhost:7400', 7400, undefined, 'http://shop.localhost:7400'],
  ['http://localhost', 80, undefined, 'http://shop.localhost'],
  ['https://berth.example.com', 443, undefined, 'https://shop.localhost'],
  ['https://berth.example.com', 8443, undefined, 'https://shop.localhost:8443'],
  ['https://berth.example.com', undefined, undefined, 'https://shop.localhost'],
  ['https://berth.example.com:8443', undefined, undefined, 'https://shop.localhost:8443'],
  ['https://berth.example.com:8443', undefined, 'http', 'http://shop.localhost'],
  ['http://berth.example.com', 443, 'https', 'https://shop.localhost'],
] as const)('an app beside %s with port %s and scheme %s is at %s', (publicUrl, publicPort, appScheme, expected) => {
  expect(appAddress(appPlace({ publicUrl, publicPort, appScheme }))('shop.localhost')).toBe(expected);
});
