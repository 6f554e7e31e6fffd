import { until } from '../../support/berth.ts';
import type { App } from '../app.ts';
import type { TemplateJob } from '../template-job.ts';

const password = 'a long enough one';

export const terminal: TemplateJob = {
  values: () => ({ password }),
  async use(app) {
    const { expect } = app;
    await expect(app.webSocket('/shell')).rejects.toThrow('403');
    await type(app, 'echo "I was here" > note; echo "wrote-$((40 + 2))"', 'wrote-42');
  },
  async useAgain(app) {
    await type(app, 'echo "read-$(cat note)"', 'read-I was here');
  },
};

/** Types a line as a person who has signed in on the page, and waits for what the shell writes. */
async function type(app: App, line: string, expected: string): Promise<void> {
  const { expect } = app;
  const body = new URLSearchParams({ password }).toString();
  const signedIn = await app.ask('/sign-in', { method: 'POST', body });
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  expect((await app.ask('/', { headers: { cookie } })).text).toContain('/browser.js');
  const socket = await app.webSocket('/shell', { cookie });
  let shown = '';
  socket.on('message', (data) => {
    shown += String(data);
  });
  socket.send(JSON.stringify({ columns: 120, rows: 40 }));
  socket.send(JSON.stringify({ input: `${line}\r` }));
  await until(`the shell writes ${expected}`, 10_000, () => shown.includes(expected));
  socket.close();
}
