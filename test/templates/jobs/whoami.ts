import type { TemplateJob } from '../template-job.ts';

/** It keeps nothing: after a restart it is another pod that answers. */
let first: string | undefined;

export const whoami: TemplateJob = {
  values: () => ({ greeting: 'Hello & welcome' }),
  async use(app) {
    const { expect } = app;
    const answer = (await app.ask('/api', { headers: { 'x-mine': 'yes' } })).json();
    expect(answer).toMatchObject({ greeting: 'Hello & welcome', headers: { 'x-mine': 'yes' } });
    first = String(answer.hostname);
  },
  async useAgain(app) {
    const { expect } = app;
    const answer = (await app.ask('/api')).json();
    expect(answer.greeting).toBe('Hello & welcome');
    expect(answer.hostname).not.toBe(first);
  },
};
