import { expect, it } from 'vitest';
import { idempotencyKeys } from './idempotency.ts';

it('keeps the key for the same wish and takes a new one for another', () => {
  let made = 0;
  const keyFor = idempotencyKeys(() => `key-${++made}`);
  expect([keyFor({ name: 'a' }), keyFor({ name: 'a' }), keyFor({ name: 'b' })]).toEqual(['key-1', 'key-1', 'key-2']);
});
