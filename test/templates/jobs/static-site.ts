import type { App } from '../app.ts';
import type { TemplateJob } from '../template-job.ts';

const STYLE = 'h1 { color: teal }\n/* "$(HOME)" ${{ parameters.title }} */';

export const staticSite: TemplateJob = {
  values: () => ({ title: 'Ours & yours', page: '<h1>Made by hand</h1>', style: STYLE, missingPage: '<h1>Lost?</h1>' }),
  use: visit,
  useAgain: visit,
};

async function visit(app: App): Promise<void> {
  const { expect } = app;
  const page = await app.ask('/');
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.text).toContain('<title>Ours &amp; yours</title>');
  expect(page.text).toContain('<h1>Made by hand</h1>');
  const style = await app.ask('/style.css');
  expect(style.text).toBe(STYLE);
  const headers = { 'if-none-match': String(style.headers.etag) };
  expect((await app.ask('/style.css', { headers })).status).toBe(304);
  const missing = await app.ask('/nowhere/../../etc/passwd');
  expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('Lost?')]);
}
