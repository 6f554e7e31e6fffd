// The app under load, started by the node as it stands: it writes each POST's id to a file of its pod's own before it answers, so that what
// was counted can be read without asking it.
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const {
  VERSION = '0',
  READY_AFTER_MS = '0',
  BROKEN = '',
  LEDGER = '/ledger',
  HOSTNAME = 'pod',
  PORT = '8080',
} = process.env;
const { LISTEN_ADDRESS = '0.0.0.0', LISTEN_PORTS = '{}' } = process.env;
const SLOW_MS = 5_000;

console.log(`version ${VERSION} starts`);
if (BROKEN === 'crash') {
  console.error('this version cannot work: it was told to crash');
  process.exit(1);
}
mkdirSync(LEDGER, { recursive: true });
const readyAt = performance.now() + Number(READY_AFTER_MS);
const isReady = () => BROKEN !== 'unready' && performance.now() >= readyAt;

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/ready') return void response.writeHead(isReady() ? 200 : 503).end(`version ${VERSION}\n`);
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.method === 'POST') appendFileSync(join(LEDGER, `${HOSTNAME}.ids`), `${JSON.parse(body).id}\n`);
  response.setHeader('x-version', VERSION);
  if (searchParams.get('pace') === 'stream') await stream(response);
  else if (searchParams.get('pace') === 'slow') await delay(SLOW_MS);
  response.end('done\n');
});
// As long as what keeps a connection to it, so that neither closes it under a request of the other.
server.keepAliveTimeout = 65_000;
server.on('upgrade', (request, socket) => echo(request.headers['sec-websocket-key'], socket));
const port = Number(JSON.parse(LISTEN_PORTS)[PORT] ?? PORT);
server.listen(port, LISTEN_ADDRESS);

// What a good app does: it takes nothing new, ends what is under way and goes.
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  setInterval(() => server.closeIdleConnections(), 50);
});

/** An event each half second, the last one at the end. */
async function stream(response) {
  response.setHeader('content-type', 'text/event-stream');
  for (let count = 0; count < SLOW_MS / 500; count++) {
    response.write(`data: ${count}\n\n`);
    await delay(500);
  }
}

/** Sends back each WebSocket message as it came; they are short, and each comes whole. */
function echo(key, socket) {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  socket.write(`${lines.join('\r\n')}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  socket.on('error', () => socket.destroy());
  let heard = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    heard = Buffer.concat([heard, chunk]);
    // Two bytes of head, four of mask, then what they mask.
    for (let end = 6 + (heard[1] & 0x7f); heard.length >= 6 && heard.length >= end; end = 6 + (heard[1] & 0x7f)) {
      const text = heard.subarray(6, end).map((byte, at) => byte ^ heard[2 + (at % 4)]);
      socket.write(Buffer.concat([Buffer.from([heard[0], text.length]), text]));
      // The same frame that says good-bye is the answer to it.
      if ((heard[0] & 0x0f) === 8) socket.end();
      heard = heard.subarray(end);
    }
  });
}
