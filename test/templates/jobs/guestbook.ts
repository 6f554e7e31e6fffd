import type { App } from '../app.ts';
import type { TemplateJob } from '../template-job.ts';

export const guestbook: TemplateJob = {
  async use(app) {
    const { expect } = app;
    await sign(app, 'I was here');
    expect((await app.ask('/')).text).toContain('I was here');
  },
  async useAgain(app) {
    const { expect } = app;
    await sign(app, 'And again');
    const { entries } = (await app.ask('/entries')).json<{ entries: { message: string }[] }>();
    expect(entries.map(({ message }) => message)).toEqual(['And again', 'I was here']);
  },
};

async function sign(app: App, message: string): Promise<void> {
  const { expect } = app;
  const body = { author: 'A visitor', message };
  expect((await app.ask('/entries', { method: 'POST', body })).status).toBe(201);
}
