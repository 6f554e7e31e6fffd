import { defineConfig } from 'vitest/config';

/** Every template of the catalogue on one Berth, some at a time: what takes long is waiting for programs to start. */
export default defineConfig({
  test: {
    include: ['test/templates/**/*.test.ts'],
    setupFiles: ['test/support/count-assertions.ts'],
    testTimeout: 150_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    maxConcurrency: 4,
  },
});
