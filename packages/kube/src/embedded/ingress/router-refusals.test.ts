import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../client/testing/until.ts';
import { makeRouterScene, type RouterScene } from './testing/router-scene.ts';

const scenes: RouterScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.end();
});

async function makeScene(): Promise<RouterScene> {
  const scene = await makeRouterScene();
  scenes.push(scene);
  return scene;
}

describe('what cannot be told apart safely is refused', () => {
  test.each([
    [
      'Content-Length and Transfer-Encoding',
      'POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two Content-Length', 'POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc'],
    ['an odd Transfer-Encoding', 'POST / HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked, identity\r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: app.test\r\nHost: other.test\r\nConnection: close\r\n\r\n'],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a Host that is none', 'GET / HTTP/1.1\r\nHost: app.test/evil\r\nConnection: close\r\n\r\n'],
    ['an absolute target', 'GET http://other.test/ HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n'],
    ['a bare line feed', 'GET / HTTP/1.1\nHost: app.test\nX: y\n\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : app.test\r\n\r\n'],
    ['a NUL', 'GET / HTTP/1.1\r\nHost: app.test\r\nX: a\0b\r\n\r\n'],
    ['garbage', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
    ['headers without end', `GET / HTTP/1.1\r\nHost: app.test\r\n${'X-Long: '.padEnd(40_000, 'x')}\r\n\r\n`],
    ['CONNECT', 'CONNECT app.test:80 HTTP/1.1\r\nHost: app.test\r\n\r\n'],
  ])('%s', async (_name, text) => {
    const scene = await makeScene();
    let asked = 0;
    const pod = await scene.pod((request, response) => {
      if (request.url !== '/ready') asked++;
      response.end();
    });
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test', '/ready')).status === 200);
    const heard = await scene.speak(text).catch((error: Error) => error.message);
    expect(heard).toMatch(/^(HTTP\/1\.1 4\d\d|$|read ECONNRESET)/);
    expect(asked).toBe(0);
    expect((await scene.get('app.test', '/ready')).status).toBe(200);
  });

  test('a pod that speaks no HTTP becomes a 502', async () => {
    const scene = await makeScene();
    const pod = await scene.pod(() => undefined);
    pod.removeAllListeners('connection');
    pod.on('connection', (socket) => socket.end('220 mail ready\r\n'));
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 502);
  });

  test.each([
    ['an odd header', 'HTTP/1.1 200 OK\r\nX-Odd: a\x01b\r\nContent-Length: 0\r\n\r\n'],
    ['another protocol unasked', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: odd\r\n\r\n'],
    ['both lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ])('a pod that answers with %s gets a 502, not through', async (_name, text) => {
    const scene = await makeScene();
    const pod = await scene.pod(() => undefined);
    pod.removeAllListeners('connection');
    pod.on('connection', (socket) =>
      socket.once('data', () => socket.write(text, 'latin1')).on('error', () => undefined),
    );
    scene.expose('app.test', [pod]);
    await until(async () => (await scene.get('app.test')).status === 502);
  });

  test('clients that connect and vanish harm nobody', async () => {
    const scene = await makeScene();
    for (let i = 0; i < 50; i++) {
      const socket = connect(scene.router.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write('POST / HTTP/1.1\r\nHost: a.test\r\nContent-Le'.slice(0, i));
      socket.resetAndDestroy();
    }
    expect((await scene.get('nobody.test')).status).toBe(404);
  });
});
