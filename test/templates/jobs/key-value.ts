import type { App } from '../app.ts';
import type { TemplateJob } from '../template-job.ts';

const password = 'kept in no log';

export const keyValue: TemplateJob = {
  values: () => ({ password }),
  async use(app) {
    const { expect } = app;
    expect((await app.ask('/keys')).status).toBe(401);
    expect(await command(app, 'SET', 'greeting', 'schön', 'EX', '600')).toBe('OK');
    expect(await command(app, 'INCR', 'visits')).toBe(1);
    await app.ask('/keys/list', { method: 'PUT', password, body: { value: ['a', 'b'] } });
  },
  async useAgain(app) {
    const { expect } = app;
    expect(await command(app, 'INCR', 'visits')).toBe(2);
    expect(await command(app, 'GET', 'greeting')).toBe('schön');
    expect(await command(app, 'TTL', 'greeting')).toBeGreaterThan(0);
    expect((await app.ask('/keys/list', { password })).json()).toMatchObject({ type: 'list', value: ['a', 'b'] });
    const { keys } = (await app.ask('/keys?match=*', { password })).json<{ keys: { key: string }[] }>();
    expect(keys.map(({ key }) => key).sort()).toEqual(['greeting', 'list', 'visits']);
  },
};

async function command(app: App, ...words: string[]): Promise<unknown> {
  const { expect } = app;
  const reply = await app.ask('/command', { method: 'POST', body: { command: words }, password });
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
  return reply.json().reply;
}
