import { CHANNELS, COME_BACK, SOCKET_CLOSE } from '@berth/core/shell';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectShell, type ShellConnection, type ShellState } from './shell-connection.ts';

/** A socket whose other side is the test. */
class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readonly url: string;
  readyState = 0;
  sent: Uint8Array[] = [];
  closedWith: number | undefined;
  onopen?: () => void;
  onmessage?: (event: { data: ArrayBuffer }) => void;
  onclose?: (event: { code: number; reason: string }) => void;

  constructor(url: string) {
    this.url = url;
    FakeSocket.all.push(this);
  }
  send(data: Uint8Array): void {
    this.sent.push(data);
  }
  close(code?: number): void {
    this.closedWith = code;
    this.readyState = 3;
  }
  opens(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }
  says(channel: number, text: string): void {
    this.onmessage?.({ data: Uint8Array.from([channel, ...new TextEncoder().encode(text)]).buffer });
  }
  closes(code: number, reason = ''): void {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }
}

let states: ShellState[];
let output: string;
let endings: number[];
let places: { pod: string; missed: number }[];
let answer: () => Promise<Response>;
const last = () => FakeSocket.all.at(-1) as FakeSocket;
const problem = (status: number, code: string, detail: string) => async () =>
  new Response(JSON.stringify({ type: 'x', title: 'x', status, code, detail }), { status });

function connect(comeBack = false): ShellConnection {
  return connectShell({
    id: 'a1a1a1a1a1a1a1a1',
    service: 'web',
    session: 'sessionsessions1',
    comeBack,
    onOutput: (bytes) => {
      output += new TextDecoder().decode(bytes);
    },
    onPlace: (place) => places.push(place),
    onState: (state) => states.push(state),
    onEndsAt: (time) => endings.push(time),
    random: () => 0.5,
    Socket: FakeSocket as unknown as typeof WebSocket,
    ask: () => answer(),
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  states = [];
  output = '';
  endings = [];
  places = [];
  answer = problem(426, 'upgrade_required', 'ask for an upgrade');
});
afterEach(() => vi.useRealTimers());

describe('a shell', () => {
  it('says its size when it opens and cuts what is pasted into parts', () => {
    const shell = connect();
    shell.resize({ columns: 80, rows: 24 });
    expect(last().url).toBe('/api/deployments/a1a1a1a1a1a1a1a1/exec?service=web&session=sessionsessions1');
    last().opens();
    shell.send('x'.repeat(40_000));
    expect(last().sent.map((frame) => [frame[0], frame.length - 1])).toEqual([
      [CHANNELS.resize, 24],
      [CHANNELS.stdin, 16_384],
      [CHANNELS.stdin, 16_384],
      [CHANNELS.stdin, 7_232],
    ]);
  });

  it('comes back after a break with what it has, and says how much is not kept', async () => {
    connect();
    last().opens();
    last().says(CHANNELS.resize, '{"Pod":"web-1","Offset":0}');
    last().says(CHANNELS.stdout, 'hello');
    last().closes(1006);
    expect(states.at(-1)).toEqual({ kind: 'reconnecting' });
    await vi.advanceTimersByTimeAsync(400);
    expect(FakeSocket.all).toHaveLength(2);
    expect(last().url).toContain('offset=5');
    last().opens();
    last().says(CHANNELS.resize, '{"Pod":"web-1","Offset":9}');
    last().says(CHANNELS.stdout, '!');
    expect(places).toEqual([
      { pod: 'web-1', missed: 0 },
      { pod: 'web-1', missed: 4 },
    ]);
    expect(output).toBe('hello!');
    last().closes(1006);
    await vi.advanceTimersByTimeAsync(400);
    expect(last().url).toContain('offset=10');
  });

  it('goes to the next server at once when its own stops, and says when the shell itself ends', async () => {
    connect();
    last().opens();
    last().says(CHANNELS.resize, '{"Pod":"web-1","Offset":0}');
    last().says(CHANNELS.resize, '{"EndsInSeconds":20}');
    expect(endings).toEqual([Date.now() + 20_000]);
    last().closes(COME_BACK, 'The server is stopping; another one may go on.');
    await vi.advanceTimersByTimeAsync(150);
    expect(FakeSocket.all).toHaveLength(2);
    // That one does not reach the shell yet: no more haste.
    last().opens();
    last().closes(COME_BACK);
    await vi.advanceTimersByTimeAsync(200);
    expect(FakeSocket.all).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(400);
    expect(last().url).toContain('offset=0');
  });

  it('comes back to a shell whose opening it never heard of', async () => {
    answer = problem(409, 'conflict', 'There is a shell with this session already');
    connect();
    last().closes(1006);
    await vi.advanceTimersByTimeAsync(400);
    expect(last().url).toContain('offset=0');
  });

  it('gives up after as long as a shell is kept', async () => {
    connect();
    last().opens();
    last().closes(1006);
    answer = () => Promise.reject(new TypeError('offline'));
    for (let seconds = 0; seconds < 80 && states.at(-1)?.kind !== 'ended'; seconds++) {
      await vi.advanceTimersByTimeAsync(1_000);
      if (last().readyState === 0) last().closes(1006);
    }
    expect(states.at(-1)).toMatchObject({ kind: 'ended', gone: true });
  });

  it.each([
    [SOCKET_CLOSE.ended, 'ended with exit code 0', false],
    [SOCKET_CLOSE.accessRemoved, 'Your role does not allow this any more.', false],
    [SOCKET_CLOSE.gone, 'This shell is gone.', true],
  ])('is over after the code %d', async (code, reason, gone) => {
    connect();
    last().opens();
    last().closes(code, reason);
    expect(states.at(-1)).toEqual({ kind: 'ended', words: reason, gone });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.all).toHaveLength(1);
  });

  it.each([
    [503, 'unavailable', 'shop is stopped, so it has no pods. Start it first.'],
    [403, 'forbidden', 'Your role does not let you open shells'],
    [404, 'not_found', 'There is no such thing'],
  ])('says in the words of the server why a handshake was refused with %d', async (status, code, words) => {
    answer = problem(status, code, words);
    connect();
    last().closes(1006);
    await vi.advanceTimersByTimeAsync(0);
    expect(states.at(-1)).toEqual({ kind: 'ended', words, gone: false });
  });

  it('is ended by its person, and left running by a page that goes', () => {
    const ended = connect();
    last().opens();
    ended.end();
    expect(last().closedWith).toBe(1000);
    const left = connect();
    last().opens();
    left.leave();
    expect(last().closedWith).toBeUndefined();
    expect(last().readyState).toBe(3);
  });
});
