import { defineConfig } from 'vitest/config';

/** Updates of an app under load, one after the other. */
export default defineConfig({
  test: {
    include: ['test/load/updates.test.ts'],
    setupFiles: ['test/support/count-assertions.ts'],
    testTimeout: 600_000,
    hookTimeout: 180_000,
    bail: 1,
  },
});
