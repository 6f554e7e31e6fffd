import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../../client/clock.ts';
import type { Container, Probe } from '../../../schema/kinds/pod.ts';
import { type Prober, startProber } from './prober.ts';

let server: Server;
let prober: Prober | undefined;
afterEach(async () => {
  prober?.stop();
  await new Promise((resolve) => server.close(resolve));
});

/** Answers 503 to so many requests, then 200. */
async function serve(refusals: number): Promise<{ port: number; asked: () => number }> {
  let asked = 0;
  server = createServer((_request, response) => {
    response.statusCode = asked++ < refusals ? 503 : 200;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, asked: () => asked };
}

function start(probe: Partial<Probe> & { port: number }, failures: string[] = []): Promise<void> {
  const { port, ...rest } = probe;
  const container = {
    name: 'main',
    image: 'x',
    readinessProbe: { httpGet: { path: '/', port }, periodSeconds: 300, ...rest },
  } as unknown as Container;
  return new Promise((resolve) => {
    prober = startProber({
      container,
      target: {
        container,
        address: '127.0.0.1',
        listenPorts: {},
        exec: async () => ({ success: false, message: 'no command here' }),
      },
      clock: systemClock,
      startedAt: systemClock.now(),
      assume: { started: false, ready: false },
      onChange: () => prober?.ready() && resolve(),
      onFailure: ({ message }) => failures.push(message),
    });
  });
}

it('finds a program ready long before its next probe, and counts only the declared ones as failed', async () => {
  const { port } = await serve(4);
  const failures: string[] = [];
  await start({ port }, failures);
  expect(prober?.ready()).toBe(true);
  expect(failures).toHaveLength(1);
});

it('looks only when it is declared to where several successes in a row are wanted', async () => {
  const { port, asked } = await serve(1);
  const failures: string[] = [];
  void start({ port, successThreshold: 2, periodSeconds: 1 }, failures);
  await expect.poll(() => prober?.ready(), { timeout: 10_000, interval: 50 }).toBe(true);
  expect(asked()).toBe(3);
});
