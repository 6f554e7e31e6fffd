import { defineConfig } from 'vitest/config';

/** What only a cluster has, on one that is up and has Berth installed: one file after the other, since each does its worst to it. */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    sequence: { concurrent: false },
  },
});
