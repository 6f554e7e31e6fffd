import { defineConfig } from 'vitest/config';

/** Journeys through a whole Berth in a real browser: one after the other, each step building on the one before. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    setupFiles: ['test/support/count-assertions.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    sequence: { concurrent: false },
    bail: 1,
  },
});
