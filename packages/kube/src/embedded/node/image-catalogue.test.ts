import { describe, expect, it } from 'vitest';
import { findImage, imageName } from './image-catalogue.ts';

describe('images', () => {
  it.each([
    ['web', 'web'],
    ['example.dev/web:1.2', 'example.dev/web'],
    ['localhost:5000/web', 'localhost:5000/web'],
    ['localhost:5000/web:1@sha256:abc', 'localhost:5000/web'],
  ])('%s is named %s', (reference, name) => expect(imageName(reference)).toBe(name));

  it('that the node has not are refused with what it has and what to do', () => {
    const catalogue = { 'example.dev/web': { entrypoint: [], command: [], env: {} } };
    expect(() => findImage(catalogue, 'nginx:1')).toThrow(/no container engine.*example\.dev\/web.*kubeconfig/);
    expect(() => findImage(catalogue, 'toString')).toThrow(/no container engine/);
  });
});
