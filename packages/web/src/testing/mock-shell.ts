import type { IncomingMessage, Server } from 'node:http';
import { CHANNELS, SHELL_PROTOCOL } from '@berth/core/shell';
import { type WebSocket, WebSocketServer } from 'ws';

/** A shell of few words for looking at: it echoes, knows `ls`, `colours`, `drop` (breaks the connection) and `exit N`. */
export function mockShells(server: Server): void {
  const sockets = new WebSocketServer({ server, handleProtocols: () => SHELL_PROTOCOL });
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const service = url.searchParams.get('service') ?? 'web';
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const send = (channel: number, text: string) =>
      socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
    const print = (text: string) => send(CHANNELS.stdout, text);
    const prompt = () => print(`\x1b[32m${service}\x1b[0m:\x1b[34m~\x1b[0m$ `);
    send(CHANNELS.resize, JSON.stringify({ Pod: `${service}-6c9f7d-x2x9z`, Offset: offset }));
    if (offset === 0) prompt();
    let line = '';
    socket.on('message', (data: Buffer) => {
      if (data[0] !== CHANNELS.stdin) return;
      for (const character of data.subarray(1).toString()) {
        if (character === '\r') {
          print('\r\n');
          run(line);
          line = '';
        } else if (character === '\x7f') {
          if (line !== '') print('\b \b');
          line = line.slice(0, -1);
        } else {
          line += character;
          print(character);
        }
      }
    });
    function run(command: string): void {
      const [, code] = /^exit ?(\d*)$/.exec(command) ?? [];
      if (code !== undefined) {
        socket.close(1000, `ended with exit code ${Number(code)}`);
        return;
      }
      if (command === 'drop') {
        socket.terminate();
        return;
      }
      if (command === 'ls')
        print('\x1b[1;34mapp\x1b[0m  \x1b[1;34mnode_modules\x1b[0m  package.json  \x1b[32mstart.sh\x1b[0m\r\n');
      else if (command === 'colours')
        print(
          `${Array.from({ length: 16 }, (_, n) => `\x1b[38;5;${n}m colour ${n} \x1b[0m`).join('\r\n')}\r\n\x1b[38;2;255;100;0mtrue colour\x1b[0m \x1b[4:3mcurly\x1b[0m https://example.com/docs\r\n`,
        );
      else if (command !== '') print(`sh: ${command}: not found\r\n`);
      prompt();
    }
  });
}
