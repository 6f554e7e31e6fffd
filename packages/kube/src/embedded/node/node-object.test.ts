import { describe, expect, it } from 'vitest';
import { isTold, nodeObject, nodeStatus } from './node-object.ts';

describe('what the node says of itself', () => {
  const facts = {
    name: 'embedded',
    address: '127.0.0.1',
    images: ['test.dev/web'],
    now: Date.parse('2026-01-01T12:00:00Z'),
  };
  const told = { ...nodeObject(facts), status: nodeStatus(facts, nodeObject(facts)) };
  const isToldAfter = (seconds: number, images = facts.images) => {
    const later = { ...facts, images, now: facts.now + seconds * 1000 };
    return isTold(nodeStatus(later, told), told, later.now);
  };

  it('is written when it is new, and every five minutes', () => {
    expect(isTold(nodeStatus(facts, nodeObject(facts)), nodeObject(facts), facts.now)).toBe(false);
    expect(isToldAfter(40)).toBe(true);
    expect(isToldAfter(40, ['test.dev/web', 'test.dev/other'])).toBe(false);
    expect(isToldAfter(301)).toBe(false);
  });
});
