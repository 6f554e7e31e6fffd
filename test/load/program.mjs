// The app under load, given to the node of a shipped image as it stands: before it answers a POST it tells the POST's id to whoever counts,
// outside of the cluster, so that what was counted is known without asking it.
import { createHash } from 'node:crypto';
import { Agent, createServer, request as send } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const { VERSION = '0', READY_AFTER_MS = '0', BROKEN = '', LEDGER = '', HOSTNAME = 'pod', PORT = '8080' } = process.env;
const { LISTEN_ADDRESS = '0.0.0.0', LISTEN_PORTS = '{}' } = process.env;
const SLOW_MS = 5_000;

console.log(`version ${VERSION} starts`);
if (BROKEN === 'crash') {
  console.error('this version cannot work: it was told to crash');
  process.exit(1);
}
const agent = new Agent({ keepAlive: true });
const readyAt = performance.now() + Number(READY_AFTER_MS);
const isReady = () => BROKEN !== 'unready' && performance.now() >= readyAt;

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/ready') return void response.writeHead(isReady() ? 200 : 503).end(`version ${VERSION}\n`);
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.method === 'POST') await count(JSON.parse(body).id);
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

/** Once and no more: what cannot be counted is not answered. */
function count(id) {
  return new Promise((resolve, reject) => {
    send(`${LEDGER}/${HOSTNAME}/${id}`, { agent, method: 'PUT' }, (answer) => answer.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
}

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
