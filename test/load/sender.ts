import '../support/hosts.mjs';
import { type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestOverTls, Agent as TlsAgent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import WebSocket from 'ws';
import type { Command, Report, Sample } from './sample.ts';

/**
 * Sends requests at a steady rate, whatever becomes of those before: half of them POSTs with an id, one in twenty slow; and each second opens a
 * WebSocket. Connections are kept, nothing is sent twice. A process of its own, so that what it measures is not its starter's business.
 */
const { values: flags } = parseArgs({
  options: { url: { type: 'string', default: '' }, rate: { type: 'string', default: '200' } },
});
const { origin, protocol } = new URL(flags.url);
const rate = Number(flags.rate);
const SLOW_EVERY = 20;
const MESSAGES = 10;
const BETWEEN_MESSAGES_MS = 500;
const TIMEOUT_MS = 30_000;
const LONGEST_END_MS = 40_000;

const secure = protocol === 'https:';
const request = secure ? requestOverTls : requestPlain;
const agent = new (secure ? TlsAgent : PlainAgent)({ keepAlive: true, maxSockets: 1024 });
const samples: Sample[] = [];
let phase = 'before';
let stopped = false;
let open = 0;

process.on('message', (command: Command) => {
  if ('phase' in command) phase = command.phase;
  else stopped = true;
});
process.on('disconnect', () => process.exit(1));

const since = performance.now();
for (let sent = 0; !stopped; ) {
  const due = ((performance.now() - since) / 1000) * rate;
  for (; sent < due; sent++) {
    send(sent);
    if (sent % rate === 0) track({ id: `w${sent}`, phase, method: 'WS', slow: true, milliseconds: 0 }, talk);
  }
  await delay(2);
}
const givenUpAt = performance.now() + LONGEST_END_MS;
while (open > 0 && performance.now() < givenUpAt) await delay(20);
process.send!({ samples } satisfies Report, () => process.exit(0));

function send(count: number): void {
  const method = count % 2 === 0 ? 'POST' : 'GET';
  const slow = Math.floor(count / 2) % SLOW_EVERY === 0;
  const pace = Math.floor(count / 40) % 2 === 0 ? 'slow' : 'stream';
  track({ id: `r${count}`, phase, method, slow, milliseconds: 0 }, (sample) => ask(sample, pace));
}

function track(sample: Sample, run: (sample: Sample) => Promise<number>): void {
  samples.push(sample);
  open += 1;
  const began = performance.now();
  const end = (result: Pick<Sample, 'status' | 'error'>) => {
    Object.assign(sample, result, { milliseconds: performance.now() - began });
    open -= 1;
  };
  run(sample).then(
    (status) => end({ status }),
    (error: NodeJS.ErrnoException) => end({ error: error.code ?? error.message }),
  );
}

/** An answer counts when all of it is there. */
function ask({ method, id, slow }: Sample, pace: string): Promise<number> {
  const body = method === 'POST' ? JSON.stringify({ id, text: 'x'.repeat(2_000) }) : undefined;
  return new Promise((resolve, reject) => {
    const sending = request(origin + (slow ? `/?pace=${pace}` : '/'), {
      agent,
      method,
      timeout: TIMEOUT_MS,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    });
    sending.once('response', (response: IncomingMessage) => {
      response.resume();
      response.once('error', reject);
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sending.once('error', reject);
    sending.once('timeout', () => sending.destroy(new Error('no answer in time')));
    sending.end(body);
  });
}

/** Says one thing after the other, hears each, and takes its leave. */
async function talk({ id }: Sample): Promise<number> {
  const socket = new WebSocket(origin.replace(/^http/, 'ws'), { perMessageDeflate: false });
  const heard: string[] = [];
  const closed = new Promise<number>((resolve, reject) => {
    socket.once('error', reject).once('close', resolve);
  });
  // Waited for at the end, and told of there.
  closed.catch(() => undefined);
  socket.on('message', (data) => heard.push(String(data)));
  await Promise.race([new Promise((resolve) => socket.once('open', resolve)), closed]);
  for (let count = 0; count < MESSAGES && socket.readyState === WebSocket.OPEN; count++) {
    socket.send(`${id} ${count}`);
    await delay(BETWEEN_MESSAGES_MS);
  }
  socket.close(1000);
  const code = await closed;
  if (heard.length !== MESSAGES || code !== 1000)
    throw new Error(`closed with ${code} after ${heard.length} of ${MESSAGES} messages`);
  return 101;
}
