import type { App } from '../app.ts';
import type { TemplateJob } from '../template-job.ts';

interface Results {
  results: { at: string; good: boolean; status?: number }[];
}
/** More than two runs of the job apart. */
const SCHEDULE_MS = 100_000;

export const uptime: TemplateJob = {
  // The Git server answers at this address, with 404.
  values: ({ git }) => ({ address: `${git.url}/`, everyMinutes: '1' }),
  async use(app) {
    const { expect } = app;
    expect(await checkNow(app)).toMatchObject({ good: false, status: 404 });
    expect((await app.ask('/')).text).toMatch(/0 of the last \d/);
    expect((await app.ask('/results', { method: 'POST', body: {} })).status).toBe(401);
    // By the clock, without anybody asking for it.
    await app.askUntil('/results', (reply) => reply.json<Results>().results.length >= 2, { withinMs: SCHEDULE_MS });
  },
  async useAgain(app) {
    const { expect } = app;
    const { results } = (await app.ask('/results')).json<Results>();
    expect(results.length).toBeGreaterThanOrEqual(2);
    const { at } = (await checkNow(app)) as { at: string };
    // The job may have run just now as well.
    expect(
      (await app.ask('/results'))
        .json<Results>()
        .results.slice(0, 2)
        .map((each) => each.at),
    ).toContain(at);
  },
};

async function checkNow(app: App): Promise<unknown> {
  const reply = await app.askUntil('/check', ({ status }) => status === 201, { method: 'POST', body: {} });
  return reply.json();
}
