import { beforeEach, describe, expect, it } from 'vitest';
import { globPattern } from './command.ts';
import { createEngine, type Engine } from './engine.ts';
import { createRequestReader, encodeReply, OK, splitWords } from './resp.ts';

let now = 1_000_000;
let logged: string[][];
let full = false;
let engine: Engine;

beforeEach(() => {
  now = 1_000_000;
  logged = [];
  full = false;
  engine = createEngine({ clock: () => now, onChange: (commands) => logged.push(...commands), isFull: () => full });
});

const run = (line: string) => engine.execute(splitWords(line));

/** What a start from the log gives. */
function replayed(): Engine {
  const other = createEngine({ clock: () => now, onChange: () => undefined, isFull: () => false });
  for (const words of logged) other.replay(words);
  return other;
}

describe('commands', () => {
  it.each([
    ['SET a 1', OK],
    ['GET nothing', undefined],
    ['SET a 1 NX XX', { failure: 'ERR syntax error' }],
    ['SET a', { failure: "ERR wrong number of arguments for 'set' command" }],
    ['NONSENSE', { failure: "ERR unknown command 'nonsense'" }],
    ['INCR a', 1],
    ['DECRBY a 5', -5],
    ['LPUSH l a b c', 3],
    ['HSET h a 1 b 2', 2],
    ['HSET h a', { failure: "ERR wrong number of arguments for 'hset' command" }],
    ['SADD s a a b', 2],
    ['MGET a b', [undefined, undefined]],
    ['TTL nothing', -2],
    ['EXPIRE nothing 5', 0],
    ['SETEX a 0 v', { failure: "ERR invalid expire time in 'setex' command" }],
    ['INCRBY a 9007199254740993', { failure: 'ERR value is not an integer or out of range' }],
    ['constructor x', { failure: "ERR unknown command 'constructor'" }],
  ])('%s on an empty store gives %j', (line, reply) => {
    expect(run(line)).toEqual(reply);
  });

  it('knows one type a key', () => {
    run('LPUSH l a');
    expect(run('GET l')).toMatchObject({ failure: expect.stringMatching(/^WRONGTYPE/) });
    expect(run('INCR l')).toMatchObject({ failure: expect.stringMatching(/^WRONGTYPE/) });
    expect(run('SET l now-a-text')).toEqual(OK);
    expect(run('TYPE l')).toEqual({ simple: 'string' });
  });

  it('works on lists from both ends', () => {
    run('RPUSH l a b c d');
    run('LPUSH l 2 1');
    expect(run('LRANGE l 0 -1')).toEqual(['1', '2', 'a', 'b', 'c', 'd']);
    expect(run('LRANGE l -2 100')).toEqual(['c', 'd']);
    expect(run('LPOP l')).toBe('1');
    expect(run('RPOP l 2')).toEqual(['d', 'c']);
    expect(run('LREM l 0 a')).toBe(1);
    expect([run('LPOP l 5'), run('EXISTS l')]).toEqual([['2', 'b'], 0]);
  });

  it('ends keys in time, and says for how long they last', () => {
    run('SET a 1 EX 10');
    expect([run('TTL a'), run('PTTL a')]).toEqual([10, 10_000]);
    run('INCR a');
    now += 9_000;
    expect([run('GET a'), run('TTL a')]).toEqual(['2', 1]);
    run('SET a 3 KEEPTTL');
    now += 1_000;
    expect([run('GET a'), run('DBSIZE'), run('EXISTS a')]).toEqual([undefined, 0, 0]);
    run('SET b 1 PX 5');
    run('PERSIST b');
    now += 10;
    expect(run('TTL b')).toBe(-1);
  });

  it('goes through all keys by SCAN', () => {
    for (let index = 0; index < 25; index++) run(`SET key:${index} v`);
    const seen: string[] = [];
    let cursor = '0';
    do {
      const [next, keys] = run(`SCAN ${cursor} MATCH key:* COUNT 7`) as [string, string[]];
      seen.push(...keys);
      cursor = next;
    } while (cursor !== '0');
    expect(new Set(seen).size).toBe(25);
    expect(run('KEYS key:?')).toHaveLength(10);
  });

  it('refuses to grow when it is full, and lets go', () => {
    run('SET a 1');
    full = true;
    expect(run('SET b 1')).toMatchObject({ failure: expect.stringMatching(/^OOM/) });
    expect([run('GET a'), run('DEL a')]).toEqual(['1', 1]);
  });
});

describe('the log of what changed', () => {
  it('gives the same data at any later time', () => {
    run('SET counter 5 EX 10');
    now += 2_000;
    run('INCR counter');
    run('SET other 1 PX 100');
    now += 200;
    run('INCR other');
    run('RPUSH l a b');
    run('LPOP l');
    run('SET kept 1 NX');
    run('SET kept 2 NX');
    const later = replayed();
    expect(
      ['GET counter', 'TTL counter', 'GET other', 'TTL other', 'LRANGE l 0 -1', 'GET kept'].map((line) =>
        later.execute(splitWords(line)),
      ),
    ).toEqual(['6', 8, '1', -1, ['b'], '1']);
    now += 60_000;
    expect(replayed().execute(['GET', 'counter'])).toBeUndefined();
  });

  it('is as short as the data after a snapshot', () => {
    run('SET a 1 EX 100');
    run('HSET h x 1 y 2');
    run('SADD s m');
    run('RPUSH l 1 2');
    expect([...engine.snapshot()]).toEqual([
      ['SET', 'a', '1'],
      ['PEXPIREAT', 'a', '1100000'],
      ['HSET', 'h', 'x', '1', 'y', '2'],
      ['SADD', 's', 'm'],
      ['RPUSH', 'l', '1', '2'],
    ]);
  });

  it('has nothing of what was refused or only read', () => {
    run('GET a');
    run('LPUSH a');
    run('SET a x');
    run('INCR a');
    expect(logged).toEqual([['SET', 'a', 'x']]);
  });
});

describe('the protocol', () => {
  it('reads requests however they are cut, and lines of words', () => {
    const bytes = Buffer.from("*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\nPING \"two words\" 'it\\'s' \\x41\r\n\r\n", 'latin1');
    const reader = createRequestReader();
    const requests = [...bytes].flatMap((byte) => reader.read(Buffer.from([byte])));
    expect(requests).toEqual([
      ['GET', 'a\r\nb'],
      ['PING', 'two words', "it's", '\\x41'],
    ]);
    expect(reader.consumed()).toBe(bytes.length);
  });

  it('writes replies of every kind', () => {
    expect(encodeReply([OK, 1, 'a\r\n', undefined, { failure: 'ERR a\nb' }, []])).toBe(
      '*6\r\n+OK\r\n:1\r\n$3\r\na\r\n\r\n$-1\r\n-ERR a b\r\n*0\r\n',
    );
  });

  it.each(['*1\r\n+x\r\n', '*x\r\n', '*1\r\n$99999999999\r\n', 'SET "open\r\n'])('refuses %j', (text) => {
    expect(() => createRequestReader().read(Buffer.from(text))).toThrow();
  });

  it.each([
    ['*', 'anything', true],
    ['h?llo', 'hello', true],
    ['h[ae]llo', 'hallo', true],
    ['h[^e]llo', 'hello', false],
    ['a.c', 'abc', false],
    ['a\\*c', 'a*c', true],
    ['user:*:name', 'user:1:name', true],
    ['***a', 'ba', true],
  ])('matches %s with %s: %s', (glob, text, expected) => {
    expect(globPattern(glob).test(text)).toBe(expected);
  });
});
