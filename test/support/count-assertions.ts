import { afterEach, expect } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** How many things the test made sure of, so that runs on different targets can be compared. */
    assertions?: number;
  }
}

/** Tests that run side by side share the one `expect`: what they make sure of counts by the one of their own. */
afterEach(({ task, expect: own }) => {
  const shared = task.concurrent ? 0 : expect.getState().assertionCalls;
  task.meta.assertions = shared + own.getState().assertionCalls;
});
