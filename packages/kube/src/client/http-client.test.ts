import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import type { KubeObject, WatchEvent } from '../schema/object.ts';
import { CONFIG_MAP, DEPLOYMENT, NAMESPACE, POD } from '../schema/resources.ts';
import type { KubeClient, KubeConfig } from './client.ts';
import { createKubeClient } from './http-client.ts';
import { makeTestCertificates } from './testing/test-certificates.ts';

const endings: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function serve(listener: RequestListener, config: Partial<KubeConfig> = {}): Promise<KubeClient> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createKubeClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...config });
  endings.push(async () => {
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return client;
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const echo: RequestListener = async (request, response) => {
  const { method, url, headers } = request;
  json(response, { method, url, type: headers['content-type'], body: await read(request) });
};

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'team' } };
const pod = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'team' } });
const at = { name: 'settings', namespace: 'team' };

describe('what is sent', () => {
  test('paths follow group, namespace and subresource', async () => {
    const client = await serve(echo);
    const url = async (answer: Promise<unknown>) => ((await answer) as { url: string }).url;
    expect(await url(client.get(POD, at))).toBe('/api/v1/namespaces/team/pods/settings');
    expect(await url(client.get(NAMESPACE, { name: 'team' }))).toBe('/api/v1/namespaces/team');
    expect(await url(client.get(DEPLOYMENT, at))).toBe('/apis/apps/v1/namespaces/team/deployments/settings');
    expect(await url(client.list(POD, { labelSelector: 'a=b', limit: 5 }))).toBe(
      '/api/v1/pods?labelSelector=a%3Db&limit=5',
    );
    const patch = { type: 'merge', body: {} } as const;
    expect(await url(client.patch(POD, at, patch, { subresource: 'status', fieldManager: 'me', dryRun: true }))).toBe(
      '/api/v1/namespaces/team/pods/settings/status?fieldManager=me&dryRun=All',
    );
  });

  test('apply names its manager and leaves out the bookkeeping of earlier applies', async () => {
    const client = await serve(echo);
    const object = { ...configMap, metadata: { ...configMap.metadata, managedFields: [{ manager: 'x' }] } };
    const sent = (await client.apply(CONFIG_MAP, object, { fieldManager: 'me', force: true })) as unknown as Record<
      string,
      string
    >;
    expect(sent).toMatchObject({ method: 'PATCH', type: 'application/apply-patch+yaml' });
    expect(sent.url).toBe('/api/v1/namespaces/team/configmaps/settings?fieldManager=me&force=true');
    expect(JSON.parse(sent.body!)).toEqual(configMap);
  });

  test('delete carries its preconditions', async () => {
    const client = await serve(echo);
    const sent = await client.delete(POD, at, { preconditions: { uid: 'u1' }, propagationPolicy: 'Background' });
    expect(JSON.parse(String(sent?.body))).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u1' },
      propagationPolicy: 'Background',
    });
  });

  test.each(['..', '.', '', 'a/b', 'a%2fb'])(
    'the name %j, which would lead to another path, is refused',
    async (name) => {
      const client = await serve(echo);
      await expect(client.get(POD, { name, namespace: 'team' })).rejects.toMatchObject({
        code: 400,
        reason: 'BadRequest',
      });
    },
  );

  test('a namespaced object without a namespace is refused by name', async () => {
    const client = await serve(echo);
    const homeless = { ...configMap, metadata: { name: 'settings' } };
    await expect(client.create(CONFIG_MAP, homeless)).rejects.toThrow(
      'metadata.namespace of ConfigMap "settings" is missing',
    );
  });
});

describe('what comes back', () => {
  test('an error is the server’s own Status', async () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'AlreadyExists',
      code: 409,
      message: 'no',
    };
    const client = await serve((_request, response) => json(response, { ...status, details: { name: 'x' } }, 409));
    const failure = client.create(CONFIG_MAP, configMap);
    await expect(failure).rejects.toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'no',
      status: { details: { name: 'x' } },
    });
  });

  test('a proxy’s page becomes an error with the status and a quote', async () => {
    const client = await serve((_request, response) => response.writeHead(503).end('<h1>down</h1>'));
    await expect(client.get(POD, at)).rejects.toMatchObject({ code: 503, reason: 'ServiceUnavailable' });
    await expect(client.get(POD, at)).rejects.toThrow('<h1>down</h1>');
  });

  test('an answer that is not JSON is an error', async () => {
    const client = await serve((_request, response) => response.end('hello'));
    await expect(client.get(POD, at)).rejects.toMatchObject({ code: 500, reason: 'InternalError' });
  });

  test('items of a list carry the kind that the server leaves out', async () => {
    const client = await serve((_request, response) =>
      json(response, { kind: 'PodList', items: [{ metadata: { name: 'a' } }] }),
    );
    expect((await client.list(POD)).items[0]).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
  });

  test('deleting what is gone is done', async () => {
    const client = await serve((_request, response) =>
      json(response, { kind: 'Status', code: 404, reason: 'NotFound' }, 404),
    );
    expect(await client.delete(POD, at)).toBeUndefined();
  });

  test('a server that says it is too busy is asked again', async () => {
    let calls = 0;
    const client = await serve((_request, response) => {
      calls++;
      if (calls === 1) response.writeHead(429, { 'retry-after': '0.01' }).end();
      else json(response, pod('a'));
    });
    expect((await client.get(POD, at)).metadata.name).toBe('a');
    expect(calls).toBe(2);
  });

  test('what may not be sent any more is not repeated', async () => {
    let calls = 0;
    const client = await serve((_request, response) => {
      calls++;
      response.writeHead(429, { 'retry-after': '0.01' }).end();
    });
    const permit = () => {
      if (calls > 0) throw new Error('no more');
    };
    await expect(client.create(POD, pod('a'), { permit })).rejects.toThrow('no more');
    expect(calls).toBe(1);
  });
});

describe('a server that does not answer', () => {
  test('a refused connection is ServiceUnavailable with its cause', async () => {
    const client = createKubeClient({ server: 'http://127.0.0.1:1' });
    endings.push(() => client.close());
    const failure = await client.get(POD, at).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 503, reason: 'ServiceUnavailable', cause: { code: 'ECONNREFUSED' } });
  });

  test('a request that takes too long ends with ServiceUnavailable', async () => {
    const client = await serve(() => undefined, { requestTimeoutMs: 50 });
    await expect(client.get(POD, at)).rejects.toThrow('no answer within 50 ms');
  });

  test('an answer that stops in the middle ends with ServiceUnavailable', async () => {
    const stall: RequestListener = (_request, response) => response.writeHead(200).write('{"kind":');
    const client = await serve(stall, { requestTimeoutMs: 50 });
    await expect(client.get(POD, at)).rejects.toMatchObject({ code: 503 });
  });

  test('a caller that gives up gets its own reason back', async () => {
    const client = await serve(() => undefined);
    const reason = new Error('changed my mind');
    const controller = new AbortController();
    const answer = client.get(POD, at, { signal: controller.signal });
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  test('a read over a kept connection that the server closed is asked once more', async () => {
    let calls = 0;
    const client = await serve((request, response) => {
      calls++;
      if (calls === 2) request.socket.destroy();
      else json(response, pod('a'));
    });
    await client.get(POD, at);
    expect((await client.get(POD, at)).metadata.name).toBe('a');
    expect(calls).toBe(3);
  });
});

describe('watch', () => {
  const line = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;
  async function collect(events: AsyncIterable<WatchEvent>): Promise<string[]> {
    const seen: string[] = [];
    for await (const event of events) seen.push(`${event.type} ${event.object.metadata.name}`);
    return seen;
  }

  test('lines become events however the bytes are cut', async () => {
    const bytes = Buffer.from(line('ADDED', pod('a')) + line('MODIFIED', pod('grüße')));
    const client = await serve(async (_request, response) => {
      response.writeHead(200);
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      response.end();
    });
    expect(await collect(client.watch(POD, { resourceVersion: '1' }))).toEqual(['ADDED a', 'MODIFIED grüße']);
  });

  test.each([
    ['a cut line', (response: ServerResponse) => response.end('{"type":"ADDED","obj'), 503],
    ['a reset', (response: ServerResponse) => response.write('\n', () => response.socket?.destroy()), 503],
    ['what is not JSON', (response: ServerResponse) => response.end('hello\n'), 500],
    ['JSON that is no event', (response: ServerResponse) => response.end('null\n'), 500],
    [
      'an ERROR event',
      (response: ServerResponse) => response.end(line('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })),
      410,
    ],
  ])('%s is an error after the events before it', async (_name, finish, code) => {
    const client = await serve((_request, response) => {
      response.writeHead(200).write(line('ADDED', pod('a')));
      finish(response);
    });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of client.watch(POD, { resourceVersion: '1' })) seen.push(event.type);
    })();
    await expect(reading).rejects.toMatchObject({ code });
    expect(seen).toEqual(['ADDED']);
  });

  test('leaving the loop ends the connection', async () => {
    let closed: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const client = await serve((_request, response) => {
      response.on('close', () => closed?.());
      response.writeHead(200).write(line('ADDED', pod('a')));
    });
    for await (const _event of client.watch(POD, { resourceVersion: '1' })) break;
    await ended;
  });

  test('an abort ends it with the reason, also while it is silent', async () => {
    const controller = new AbortController();
    const client = await serve((_request, response) => response.writeHead(200).flushHeaders());
    const reading = collect(client.watch(POD, { resourceVersion: '1', signal: controller.signal }));
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  test('a slow reader slows the server instead of filling memory', async () => {
    const chunk = line('ADDED', { ...pod('a'), data: 'x'.repeat(100_000) });
    let sent = 0;
    let blocked: (() => void) | undefined;
    const full = new Promise<void>((resolve) => {
      blocked = resolve;
    });
    const client = await serve(async (_request, response) => {
      response.writeHead(200);
      const socket = response.socket as Socket;
      const closed = once(response, 'close');
      for (; sent < 1000 && !socket.destroyed; sent++) {
        if (response.write(chunk)) continue;
        const quiet = setTimeout(() => blocked?.(), 200);
        await Promise.race([once(response, 'drain'), closed]);
        clearTimeout(quiet);
      }
    });
    for await (const _event of client.watch(POD, { resourceVersion: '1' })) {
      await full;
      break;
    }
    expect(sent).toBeLessThan(500);
  });

  test('watches do not take the connections of ordinary requests', async () => {
    const client = await serve((request, response) => {
      if (request.url?.includes('watch=true')) response.writeHead(200).write(line('ADDED', pod('a')));
      else json(response, pod('b'));
    });
    const watches = Array.from({ length: 60 }, () =>
      client.watch(POD, { resourceVersion: '1' })[Symbol.asyncIterator](),
    );
    await Promise.all(watches.map((watch) => watch.next()));
    expect((await client.get(POD, at)).metadata.name).toBe('b');
    await Promise.all(watches.map((watch) => watch.return?.()));
  });
});

describe('TLS and credentials', () => {
  async function serveTls(listener: RequestListener, config: (ca: string) => Partial<KubeConfig>): Promise<KubeClient> {
    const { ca, server: own } = certificates;
    const server = createTlsServer({ ...own, ca, requestCert: true, rejectUnauthorized: false }, listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = createKubeClient({ server: `https://127.0.0.1:${port}`, ...config(ca) });
    endings.push(async () => {
      await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return client;
  }
  let certificates: Awaited<ReturnType<typeof makeTestCertificates>>;
  const whoami: RequestListener = (request, response) => {
    const peer = (request.socket as TLSSocket).getPeerCertificate();
    json(response, { subject: peer?.subject?.CN, authorization: request.headers.authorization });
  };

  test('a client certificate reaches the server, which its authority proves', async () => {
    certificates = await makeTestCertificates();
    const { cert, key } = certificates.client;
    const client = await serveTls(whoami, (ca) => ({ ca, clientCertificate: cert, clientKey: key }));
    expect(await client.get(POD, at)).toEqual({ subject: 'test-client' });
  });

  test('a server that the authority does not prove gets nothing', async () => {
    certificates = await makeTestCertificates();
    let asked = 0;
    const client = await serveTls(
      () => {
        asked++;
      },
      () => ({ token: 'secret' }),
    );
    await expect(client.get(POD, at)).rejects.toMatchObject({ code: 503, reason: 'ServiceUnavailable' });
    expect(asked).toBe(0);
  });

  test('a token that the server no longer takes is asked for anew, once', async () => {
    let token = 'old';
    const seen: (string | undefined)[] = [];
    const credentials = {
      current: async () => ({ token }),
      invalidate() {
        token = 'new';
      },
    };
    const client = await serve(
      (request, response) => {
        seen.push(request.headers.authorization);
        if (request.headers.authorization === 'Bearer new') json(response, pod('a'));
        else json(response, { kind: 'Status', code: 401, reason: 'Unauthorized' }, 401);
      },
      { credentials },
    );
    expect((await client.get(POD, at)).metadata.name).toBe('a');
    expect(seen).toEqual(['Bearer old', 'Bearer new']);
  });

  test('a new client certificate is used from the next request on', async () => {
    certificates = await makeTestCertificates('before');
    const issued = [certificates.client];
    const credentials = {
      current: async () => ({ clientCertificate: issued[0]!.cert, clientKey: issued[0]!.key }),
      invalidate: () => undefined,
    };
    const client = await serveTls(whoami, (ca) => ({ ca, credentials }));
    expect(await client.get(POD, at)).toEqual({ subject: 'before' });
    issued.unshift((await makeTestCertificates('after')).client);
    expect(await client.get(POD, at)).toEqual({ subject: 'after' });
  });
});

test('raw gives any status as an answer and streams the body', async () => {
  const client = await serve((_request, response) => response.writeHead(404, { 'x-a': '1' }).end('gone'));
  const answer = await client.raw('GET', '/version');
  expect(answer).toMatchObject({ status: 404, headers: { 'x-a': '1' } });
  expect(await answer.text()).toBe('gone');
});
