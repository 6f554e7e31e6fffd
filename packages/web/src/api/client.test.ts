import { afterEach, describe, expect, it, vi } from 'vitest';
import { call, onSignedOut, urlOf } from './client.ts';
import { isProblem } from './problem.ts';

afterEach(() => vi.unstubAllGlobals());

function answerWith(status: number, body: string): { requests: Request[] } {
  const requests: Request[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    requests.push(new Request(`http://localhost${url}`, init));
    return new Response(status === 204 ? undefined : body, { status });
  });
  return { requests };
}

describe('urlOf', () => {
  it('fills in parameters and leaves out what is not given', () => {
    expect(urlOf('listDeployments', { query: { team: 'a', q: undefined, limit: 5 } })).toBe(
      '/api/deployments?team=a&limit=5',
    );
    expect(urlOf('getTemplate', { params: { name: 'a/b' } })).toBe('/api/templates/a%2Fb');
  });
});

describe('call', () => {
  it('marks a change as ours, with the revision seen and the key of the wish', async () => {
    const { requests } = answerWith(200, '{}');
    await call('updateDeployment', { params: { id: 'x' }, body: {}, ifMatch: 3, idempotencyKey: 'k' });
    const headers = requests[0]?.headers;
    expect(requests[0]?.method).toBe('PATCH');
    expect([headers?.get('x-berth-request'), headers?.get('if-match'), headers?.get('idempotency-key')]).toEqual([
      '1',
      '"3"',
      'k',
    ]);
  });

  it("throws the server's words, and tells everybody when nobody is signed in any more", async () => {
    answerWith(401, JSON.stringify({ type: 't', title: 'x', status: 401, detail: 'Sign in', code: 'unauthenticated' }));
    const signedOut = vi.fn();
    const stop = onSignedOut(signedOut);
    await expect(call('getMe')).rejects.toThrow('Sign in');
    expect(signedOut).toHaveBeenCalledOnce();
    stop();
  });

  it('has words for an answer that is not ours', async () => {
    answerWith(502, '<html>Bad gateway</html>');
    const error = await call('getMe').catch((each: unknown) => each);
    expect(isProblem(error, 'unavailable')).toBe(true);
    expect(String(error)).toContain('502');
  });
});
