import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { onceReachable } from './once-reachable.ts';

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('what a job asks', () => {
  it('is asked again until it can be reached', async () => {
    let attempts = 0;
    const ask = async () => {
      attempts++;
      if (attempts === 1) throw refused();
      if (attempts === 2) throw new TypeError('fetch failed', { cause: new AggregateError([refused()]) });
      return 'here';
    };
    expect(await onceReachable(ask)).toBe('here');
    expect(attempts).toBe(3);
  });

  it('is not asked again when it refuses the question itself, nor for ever', async () => {
    let attempts = 0;
    const wrong = async () => {
      attempts++;
      throw new Error('password authentication failed');
    };
    await expect(onceReachable(wrong)).rejects.toThrow('password');
    expect(attempts).toBe(1);
    await expect(onceReachable(() => Promise.reject(refused()), 0)).rejects.toThrow('ECONNREFUSED');
  });

  it('knows the error of a port at which nobody listens', async () => {
    const server = createServer((_request, response) => response.end('here'));
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    );
    await new Promise((resolve) => server.close(resolve));
    const asked = onceReachable(async () => (await fetch(`http://127.0.0.1:${port}`)).text());
    server.listen(port, '127.0.0.1');
    expect(await asked).toBe('here');
    await new Promise((resolve) => server.close(resolve));
  });
});
