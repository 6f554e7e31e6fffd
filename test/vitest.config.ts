import { defineConfig } from 'vitest/config';

/** Journeys across processes, in a browser. One after the other: each has a Berth of its own. */
export default defineConfig({
  root: import.meta.dirname.replace(/.test$/, ''),
  test: {
    include: ['test/browser/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    maxWorkers: 1,
  },
});
