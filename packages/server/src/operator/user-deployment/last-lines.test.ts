import type { KubeClient } from '@berth/kube/client/client';
import { KubeError } from '@berth/kube/schema/status';
import { describe, expect, it } from 'vitest';
import { lastLines } from './last-lines.ts';

const SOURCE = { namespace: 'n', pod: 'web-1', container: 'web', previous: true, secret: 'shop-web' };

function read(log: string, secrets: Record<string, string> | Error = {}): Promise<string[]> {
  const asked: string[] = [];
  const client = {
    raw: async (_method: string, path: string) => {
      asked.push(path);
      const body = (async function* () {
        yield Buffer.from(log);
      })();
      return { status: 200, headers: {}, body, text: async () => log };
    },
    get: async () => {
      if (secrets instanceof Error) throw secrets;
      const data = Object.entries(secrets).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
      return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'shop-web' }, data: Object.fromEntries(data) };
    },
  } as unknown as Pick<KubeClient, 'raw' | 'get'>;
  return lastLines(client, SOURCE, new AbortController().signal);
}

describe('the last lines of a log', () => {
  it('are plain text without escape sequences, carriage returns and empty lines', async () => {
    expect(await read('\u001b[31mred\u001b[0m\r\n\n  a\tb \u0007c\n')).toEqual(['red', '  a b  c']);
  });

  it('are the last twenty, each of a bounded length', async () => {
    const lines = await read(Array.from({ length: 30 }, (_, at) => `${at} ${'x'.repeat(2000)}`).join('\n'));
    expect(lines).toHaveLength(20);
    expect(lines[0]).toMatch(/^10 x+$/);
    expect(Math.max(...lines.map(({ length }) => length))).toBe(1000);
  });

  it('hold no value of a secret: not as it is, nor in an address, nor in part', async () => {
    const secrets = {
      password: 'p@ss/w0rd',
      key: '-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----\n',
      pin: '42',
    };
    const log = [
      'connects to postgres://app:p%40ss%2Fw0rd@database',
      'password p@ss/w0rd',
      '{"password":"p@ss/w0rd"}',
      'MIIEvQIBADANBg',
      'pin 42, port 4200',
    ];
    expect(await read(log.join('\n'), secrets)).toEqual([
      'connects to postgres://app:[secret]@database',
      'password [secret]',
      '{"password":"[secret]"}',
      '[secret]',
      'pin [secret], port 4200',
    ]);
  });

  it('are left out when it is not known what to hide', async () => {
    expect(await read('password hunter2', new KubeError(403, 'Forbidden', 'no'))).toEqual([]);
    expect(await read('nothing secret', new KubeError(404, 'NotFound', 'none'))).toEqual(['nothing secret']);
  });
});
