import { expect, it } from 'vitest';
import { appAddress } from './app-address.ts';

it.each([
  ['http://localhost:7400', 7400, 'http://shop.localhost:7400'],
  ['http://localhost', 80, 'http://shop.localhost'],
  ['https://berth.example.com', 443, 'https://shop.localhost'],
  ['https://berth.example.com', 8443, 'https://shop.localhost:8443'],
])('an app beside %s on port %s is at %s', (publicUrl, publicPort, expected) => {
  expect(appAddress({ publicUrl, publicPort })('shop.localhost')).toBe(expected);
});
