import { until } from '@berth/kube/client/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scene, startScene } from '../deployment/testing/scene.ts';
import { listenForTests } from '../live/testing/sse-client.ts';
import { type PodServer, runningPod, startPodServer } from './testing/pod-server.ts';
import { openTestSocket } from './testing/shell-client.ts';

let cluster: PodServer;
let scene: Scene;
let port: number;
let shop: { id: string };
beforeAll(async () => {
  cluster = await startPodServer();
  cluster.pods.push(runningPod('shop-web-a'));
  scene = await startScene({ client: cluster.client });
  port = await listenForTests(scene.app.app);
  shop = await scene.create({ name: 'shop', template: 'plain' });
});
afterAll(async () => {
  await scene.end();
  await cluster.close();
});

const open = (wanted: string) =>
  openTestSocket({
    port,
    path: `/api/deployments/${shop.id}/port-forward?service=web&port=${wanted}`,
    who: scene.owner,
    headers: { authorization: `Bearer ${scene.owner.token}` },
  });

describe('a forwarded port', () => {
  it.each(['http', '9229'])('%s is one connection, byte for byte, until the other side closes it', async (wanted) => {
    const connection = await open(wanted);
    connection.say('ping');
    await connection.hears('ping');
    connection.say('bye');
    expect(await connection.closed).toEqual({ code: 1000, reason: 'The other side closed the connection.' });
    expect(connection.output()).toBe('pingbye');
  });

  it('still hears the other side after it has said that it sends no more', async () => {
    const connection = await open('http');
    connection.say('ping');
    connection.socket.send('');
    await connection.hears('ping');
    cluster.seen.sockets.at(-1)?.send(Buffer.from([0, ...Buffer.from('later')]));
    await connection.hears('pinglater');
    connection.socket.close();
  });

  it('leaves a record for each connection', async () => {
    const connection = await open('http');
    const [record] = await scene.database.query(
      "select target, detail, outcome from audit_records where action = 'deployment:exec' order by sequence desc limit 1",
    );
    expect(record).toEqual({
      target: 'shop',
      detail: expect.stringMatching(/^port \d+ of web, pod shop-web-a$/),
      outcome: 'allowed',
    });
    connection.socket.terminate();
    await until(() => cluster.seen.sockets.at(-1)?.readyState === 3);
  });

  it('says when nobody listens there, and which ports there are', async () => {
    expect(await (await open('1')).closed).toMatchObject({ code: 4503, reason: expect.stringMatching(/refused/) });
    await expect(open('nothing')).rejects.toMatchObject({ status: 400, message: expect.stringMatching(/It has http/) });
    await expect(open('70000')).rejects.toMatchObject({ status: 400 });
  });
});
