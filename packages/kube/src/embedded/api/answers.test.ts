import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import recorded from './testing/answers.recorded.json' with { type: 'json' };
import { answerOf } from './testing/run-scenario.ts';
import { scenario } from './testing/scenario.ts';
import { startTestServer, type TestServer } from './testing/start-test-server.ts';

/** A definition is served when its create is answered; a real server says so a moment later. */
const DIFFERENT_ON_PURPOSE = new Set(['create a definition']);

describe('the answers of a real kube-apiserver', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await startTestServer();
  });
  afterAll(() => test.close());

  for (const step of scenario) {
    it(`${step.name}: the same answer`, async () => {
      const answer = await answerOf(test.admin, step);
      const real = (recorded as Record<string, unknown>)[step.name];
      if (DIFFERENT_ON_PURPOSE.has(step.name)) expect(answer.status).toBe((real as { status: number }).status);
      else expect(answer).toEqual(real);
    });
  }
});
