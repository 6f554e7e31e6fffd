import { Counter, Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { listenForMetrics } from './metrics-listener.ts';

const ANY_PORT = { metricsPort: 0, metricsBind: '127.0.0.1' };

it('what a process counts can be read on loopback, and nothing else', async () => {
  const registry = new Registry();
  new Counter({ name: 'requests_total', help: 'Requests', registers: [registry] }).inc(3);
  const listener = await listenForMetrics(registry, ANY_PORT);
  onTestFinished(() => listener?.stop());
  const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${listener?.port}${path}`, { method });
  const answer = await ask('/metrics');
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(await answer.text()).toContain('requests_total 3');
  expect((await ask('/')).status).toBe(404);
  expect((await ask('/metrics', 'POST')).status).toBe(404);
});

it('a process that has no other listener is probed there too', async () => {
  const probes = { live: [], ready: [{ name: 'caches', problem: () => 'they are empty' }] };
  const listener = await listenForMetrics(new Registry(), ANY_PORT, probes);
  onTestFinished(() => listener?.stop());
  const ask = (path: string) => fetch(`http://127.0.0.1:${listener?.port}${path}`);
  expect((await ask('/livez')).status).toBe(200);
  const ready = await ask('/readyz');
  expect([ready.status, await ready.text()]).toEqual([503, '[-]caches failed: they are empty\nreadyz check failed\n']);
});

it('nothing is opened where no port is set', async () => {
  expect(await listenForMetrics(new Registry(), { ...ANY_PORT, metricsPort: undefined })).toBeUndefined();
});
