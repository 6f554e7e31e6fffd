import { Counter, Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { listenForMetrics } from './metrics-listener.ts';

it('what a process counts can be read on loopback, and nothing else', async () => {
  const registry = new Registry();
  new Counter({ name: 'requests_total', help: 'Requests', registers: [registry] }).inc(3);
  const listener = await listenForMetrics({ registry, host: '127.0.0.1', port: 0 });
  onTestFinished(() => listener.stop());
  const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${listener.port}${path}`, { method });
  const answer = await ask('/metrics');
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(await answer.text()).toContain('requests_total 3');
  expect((await ask('/')).status).toBe(404);
  expect((await ask('/metrics', 'POST')).status).toBe(404);
});
