import type { App } from '../app.ts';
import type { TemplateJob } from '../template-job.ts';

const password = 'p "a\'s$(s)\\word';

export const postgres: TemplateJob = {
  values: () => ({ password }),
  async use(app) {
    const { expect } = app;
    expect((await app.ask('/overview')).status).toBe(401);
    await query(app, 'CREATE TABLE notes (id serial PRIMARY KEY, text text)');
    await query(app, "INSERT INTO notes (text) VALUES ('kept')");
    const overview = (await app.ask('/overview', { password })).json();
    expect(overview).toMatchObject({ version: expect.stringMatching(/^18/), connection: { port: 5432, user: 'app' } });
    expect(JSON.stringify(overview)).not.toContain('word');
  },
  async useAgain(app) {
    const { expect } = app;
    await query(app, "INSERT INTO notes (text) VALUES ('and more')");
    expect(await query(app, 'SELECT * FROM notes ORDER BY id')).toMatchObject({
      columns: ['id', 'text'],
      rows: [
        ['1', 'kept'],
        ['2', 'and more'],
      ],
    });
  },
};

async function query(app: App, sql: string): Promise<unknown> {
  const { expect } = app;
  const reply = await app.ask('/query', { method: 'POST', body: { sql }, password });
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
  return reply.json();
}
