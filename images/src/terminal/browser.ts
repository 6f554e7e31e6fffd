import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';

/** The window of the shell. Comes back by itself when the connection breaks; the shell has gone on meanwhile. */
const ENDED = 4000;
const LONGEST_WAIT_MILLISECONDS = 5000;

const terminal = new Terminal({
  cursorBlink: true,
  scrollback: 5000,
  fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSize: 14,
  theme: { background: '#10141b', foreground: '#d8dee9' },
});
const fit = new FitAddon();
terminal.loadAddon(fit);
terminal.loadAddon(new WebLinksAddon());

const screen = document.getElementById('screen') as HTMLElement;
const state = document.getElementById('state') as HTMLElement;
const again = document.getElementById('again') as HTMLButtonElement;
let socket: WebSocket | undefined;
let tries = 0;

function send(message: Record<string, unknown>): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function tellSize(): void {
  send({ columns: terminal.cols, rows: terminal.rows });
}

function connect(): void {
  again.hidden = true;
  state.textContent = 'Connecting';
  const opened = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/shell`);
  socket = opened;
  opened.onopen = () => {
    tries = 0;
    state.textContent = 'Connected';
    // What was written before comes again.
    terminal.reset();
    tellSize();
    terminal.focus();
  };
  opened.onmessage = ({ data }) => terminal.write(String(data));
  opened.onclose = ({ code, reason }) => {
    if (code === ENDED) {
      state.textContent = 'The shell ended';
      again.hidden = false;
      again.focus();
      return;
    }
    tries += 1;
    state.textContent = `Not connected${reason ? `: ${reason}` : ''}. Trying again`;
    setTimeout(() => void reconnect(), Math.min(LONGEST_WAIT_MILLISECONDS, 250 * 2 ** tries));
  };
}

/** A refused WebSocket does not say why: the page tells whether one must sign in again. */
async function reconnect(): Promise<void> {
  const page = await fetch('/', { headers: { accept: 'text/html' } }).catch(() => undefined);
  if (page?.status === 401) location.reload();
  else connect();
}

terminal.open(screen);
fit.fit();
terminal.onData((input) => send({ input }));
terminal.onBinary((input) => send({ input }));
terminal.onResize(tellSize);
new ResizeObserver(() => fit.fit()).observe(screen);
again.addEventListener('click', connect);
connect();
