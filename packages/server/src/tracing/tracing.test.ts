import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../logger.ts';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { createTenant } from '../testing/tenants.ts';
import { traceIfWanted } from './trace-if-wanted.ts';

interface Received {
  resource: { attributes: { key: string; value: { stringValue?: string } }[] };
  scopeSpans: { spans: ReceivedSpan[] }[];
}
interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

/** A collector that only keeps what it is sent. */
async function startCollector() {
  const bodies: string[] = [];
  const headers: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/traces') bodies.push(Buffer.concat(chunks).toString());
      headers.push(request.headers.authorization);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, headers };
}

it('nothing is traced where no collector is named', async () => {
  const log = createLogger({ name: 'test', level: 'silent' });
  const settings = { traceEndpoint: undefined, traceService: undefined, traceHeaders: {} };
  const tracing = await traceIfWanted(settings, { service: 'berth-server', version: '1', instance: 'a', log });
  expect(tracing).toBeUndefined();
});

it('a request is a part of the trace that a trusted proxy began, with its statements and without their values', async () => {
  const collector = await startCollector();
  const lines: string[] = [];
  const write = (chunk: unknown, _encoding: string, done: () => void) => {
    lines.push(String(chunk));
    done();
  };
  const log = createLogger({ name: 'test', level: 'debug', destination: new Writable({ write }) });
  const database = await createTestDatabase();
  const person = await createTenant(database, 'Person');
  const tracing = await traceIfWanted(
    { traceEndpoint: `${collector.url}/`, traceService: undefined, traceHeaders: { authorization: 'Bearer x' } },
    { service: 'berth-server', version: '1.2.3', instance: 'server-1', log },
  );
  const app = await createTestApp({ database, log });
  const traceparent = `00-${TRACE}-${PARENT}-01`;
  await app.as(person, {
    method: 'POST',
    url: '/api/tokens',
    payload: { name: 'my-laptop' },
    headers: { traceparent },
  });
  await app.as(person, { url: '/api/me', remoteAddress: '198.51.100.7', headers: { traceparent } });
  await app.as(undefined, { url: '/readyz' });
  await app.close();
  await tracing?.stop();
  await database.close();

  const received = collector.bodies.flatMap(
    (body) => (JSON.parse(body) as { resourceSpans: Received[] }).resourceSpans,
  );
  const spans = received.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans));
  const named = (name: string) => spans.find((span) => span.name === name);
  const outer = named('POST /api/tokens');
  expect(outer).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
  expect(outer?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 201 } });
  const insert = spans.find((span) => span.name === 'insert' && span.traceId === TRACE);
  expect(insert?.parentSpanId).toBe(outer?.spanId);
  expect(collector.bodies.join('')).not.toContain('my-laptop');
  // From somebody whom nobody trusts it is a trace of its own; probes are none.
  expect(named('GET /api/me')?.traceId).not.toBe(TRACE);
  expect(spans.filter(({ name }) => name.includes('readyz'))).toEqual([]);
  expect(received[0]?.resource.attributes).toContainEqual({
    key: 'service.name',
    value: { stringValue: 'berth-server' },
  });
  expect(collector.headers[0]).toBe('Bearer x');
  const answered = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(answered.find(({ route }) => route === 'createToken')).toMatchObject({ traceId: TRACE });
});
