import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { html, text } from '../runtime/answer.ts';
import { log } from '../runtime/log.ts';
import type { PasswordGate } from '../runtime/password-gate.ts';
import { createWebApp } from '../runtime/web-app.ts';
import { parseMessage } from './message.ts';
import { terminalPage } from './page.ts';
import type { Shell } from './shell.ts';

/**
 * A page with a terminal, and `/shell`, the WebSocket behind it: text frames from the shell are its output, from the page
 * `{"input": "..."}` or `{"columns": 80, "rows": 24}`. The shell goes on when windows close; who connects again sees what was written lately.
 */
export interface Terminal {
  server: Server;
  /** Closes the windows and ends the shell. */
  stop(): void;
}

export interface TerminalOptions {
  gate: PasswordGate;
  title: string;
  newShell: () => Shell;
  /** Where browser.js and browser.css are. */
  assets: string;
}

const ASSETS: Record<string, string> = {
  '/browser.js': 'text/javascript; charset=utf-8',
  '/browser.css': 'text/css; charset=utf-8',
};
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** A window that takes in nothing any more. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const PING_MILLISECONDS = 20_000;
const CLOSED = { ended: 4000, goingAway: 1001, tooSlow: 4001 } as const;

export function createTerminal({ gate, title, newShell, assets }: TerminalOptions): Terminal {
  const windows = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  let shell: Shell | undefined;
  let stopping = false;

  const server = createWebApp(async (request) => {
    const type = ASSETS[request.path];
    if (request.path === '/healthz') return text(200, 'ok');
    if (type && request.method === 'GET') return { status: 200, type, body: readFileSync(join(assets, request.path)) };
    const refused = await gate.guard(request);
    if (refused) return refused;
    return request.path === '/' && request.method === 'GET'
      ? { ...html(200, terminalPage(title)), scripted: true }
      : text(404, 'the terminal has / and /shell');
  });

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url !== '/shell' || stopping) return refuse(socket, '404 Not Found');
    // Another page in the same browser must not reach the shell through it.
    if (!gate.admits(request)) return refuse(socket, '403 Forbidden');
    windows.handleUpgrade(request, socket, head, attach);
  });

  function currentShell(): Shell {
    if (shell) return shell;
    const started = newShell();
    shell = started;
    log.info('a shell begins');
    started.watch({
      output: () => undefined,
      ended() {
        log.info('the shell ended');
        if (shell === started) shell = undefined;
      },
    });
    return started;
  }

  function attach(window: WebSocket): void {
    const current = currentShell();
    log.info(`a window opens, ${windows.clients.size} now`);
    const stopWatching = current.watch({
      output(output) {
        if (window.bufferedAmount > MAX_WAITING_BYTES) window.close(CLOSED.tooSlow, 'this window does not keep up');
        else window.send(output);
      },
      ended: () => window.close(CLOSED.ended, 'the shell ended'),
    });
    const stopPinging = keepAlive(window);
    window.on('message', (data: RawData) => {
      const message = parseMessage(String(data));
      if (message?.input !== undefined) current.write(message.input);
      if (message?.size) current.resize(message.size);
    });
    window.on('error', (error) => log.warn(`a window broke: ${error.message}`));
    window.once('close', () => {
      stopWatching();
      stopPinging();
      log.info(`a window closes, ${windows.clients.size} left`);
    });
  }

  return {
    server,
    stop() {
      stopping = true;
      for (const window of windows.clients) window.close(CLOSED.goingAway, 'the terminal restarts');
      shell?.end();
      setTimeout(() => {
        for (const window of windows.clients) window.terminate();
      }, 1000).unref();
    },
  };
}

/** Tells a window that is gone from one where nothing happens, and keeps routers in between from closing it. */
function keepAlive(window: WebSocket): () => void {
  let answered = true;
  window.on('pong', () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) return window.terminate();
    answered = false;
    window.ping();
  }, PING_MILLISECONDS);
  return () => clearInterval(timer);
}

function refuse(socket: Duplex, status: string): void {
  log.warn(`a window was refused: ${status}`);
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
