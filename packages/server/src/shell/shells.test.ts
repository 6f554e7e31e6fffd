import { CHANNELS, SHELL_KEPT_BYTES } from '@berth/core/shell';
import { readExecOutcome } from '@berth/kube/client/exec';
import { until } from '@berth/kube/client/testing/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Scene, startScene } from '../deployment/testing/scene.ts';
import { listenForTests } from '../live/testing/sse-client.ts';
import { createTenant, joinTeam, type TestTenant } from '../testing/tenants.ts';
import { type PodServer, runningPod, startPodServer } from './testing/pod-server.ts';
import { openTestSocket } from './testing/shell-client.ts';

let cluster: PodServer;
let scene: Scene;
let port: number;
let shop: { id: string };
let colleague: TestTenant;
beforeAll(async () => {
  cluster = await startPodServer();
  scene = await startScene({ client: cluster.client });
  port = await listenForTests(scene.app.app);
  shop = await scene.create({ name: 'shop', template: 'plain' });
  colleague = await createTenant(scene.database, 'Colleague');
  await joinTeam(scene.database, colleague, scene.owner, 'developer');
});
afterAll(async () => {
  await scene.end();
  await cluster.close();
});
beforeEach(() => {
  cluster.pods.splice(0, Infinity, runningPod('shop-web-old', { ready: false }), runningPod('shop-web-a'));
  cluster.seen.commands.length = 0;
});

const pathOf = (query: string) => `/api/deployments/${shop.id}/exec?service=web${query}`;
const open = (query = '', options: { who?: TestTenant; headers?: Record<string, string> } = {}) =>
  openTestSocket({ port, path: pathOf(query), who: scene.owner, ...options });
const records = () =>
  scene.database.query<{ outcome: string; target: string; detail: string; actor: string; status: number }>(
    `select outcome, target, detail, actor, status from audit_records where action = 'deployment:exec' order by sequence`,
  );

describe('a shell', () => {
  it('is the command of a ready pod, with its size, its input, its output and its end', async () => {
    const shell = await open();
    shell.socket.send(Buffer.from(`${String.fromCharCode(CHANNELS.resize)}{"Width":80,"Height":24}`));
    shell.say('hello');
    await shell.hears('hello');
    expect(cluster.seen.sizes).toContain('{"Width":80,"Height":24}');
    expect(cluster.seen.commands[0]?.[0]).toBe('/bin/sh');
    shell.say('exit 3');
    expect(await shell.closed).toEqual({ code: 1000, reason: 'ended with exit code 3' });
    const last = shell.messages.at(-1) ?? Buffer.alloc(0);
    expect(last[0]).toBe(CHANNELS.error);
    expect(readExecOutcome(last.subarray(1))).toMatchObject({ exitCode: 3 });
    await until(async () => (await records()).length >= 2);
    expect((await records()).slice(-2)).toMatchObject([
      { outcome: 'allowed', status: 101, target: 'shop', detail: 'a shell in web, pod shop-web-a' },
      { outcome: 'allowed', target: 'shop-web-a', detail: 'after 0 s: ended with exit code 3' },
    ]);
  });

  it('runs a command of several words, in a pod that was chosen, for a program with a token', async () => {
    const headers = { authorization: `Bearer ${scene.owner.token}` };
    const shell = await open('&pod=shop-web-old&command=ls&command=-l&tty=false', { headers });
    await until(() => cluster.seen.commands.length === 1);
    expect(cluster.seen.commands).toEqual([['ls', '-l']]);
    expect((await records()).at(-1)).toMatchObject({ detail: '"ls -l" in web, pod shop-web-old' });
    shell.socket.close(1000);
    await until(async () => (await records()).at(-1)?.detail === 'after 0 s: the client ended it');
  });

  it('says in words why there is none', async () => {
    await expect(open('&pod=other-pod')).rejects.toMatchObject({
      status: 404,
      message: expect.stringMatching(/no pod/),
    });
    await expect(open('&service=x')).rejects.toMatchObject({ status: 400 });
    cluster.pods.length = 0;
    await expect(open()).rejects.toMatchObject({ status: 503, message: expect.stringMatching(/No pod of "web" runs/) });
    const [before] = (await records()).slice(-1);
    expect(before).toMatchObject({ outcome: 'failed' });
    const stopped = await scene.create({ name: 'still', template: 'plain' });
    await scene.send(scene.owner, 'POST', `/api/deployments/${stopped.id}/stop`);
    const path = `/api/deployments/${stopped.id}/exec?service=web`;
    await expect(openTestSocket({ port, path, who: scene.owner })).rejects.toMatchObject({
      message: expect.stringMatching(/is stopped, so it has no pods/),
    });
  });

  it('says so when the command is not in the image', async () => {
    const shell = await open('&command=/bin/missing');
    expect(await shell.closed).toMatchObject({ code: 1000, reason: expect.stringMatching(/no such file/) });
  });

  it('is refused to foreign pages, without rights, without its protocol and without an upgrade, and that is recorded', async () => {
    const cookie = `berth_login=${scene.owner.cookie}`;
    const refused = async (attempt: Promise<unknown>, status: number, code: string) => {
      await expect(attempt).rejects.toMatchObject({ status, problem: { code } });
      expect((await records()).at(-1)).toMatchObject({ status });
    };
    await refused(open('', { headers: { cookie, origin: 'http://evil.test' } }), 403, 'foreign_origin');
    await refused(open('', { headers: { cookie } }), 403, 'foreign_origin');
    await refused(open('', { headers: {} }), 401, 'unauthenticated');
    await refused(open('', { who: scene.stranger }), 404, 'not_found');
    const viewer = await createTenant(scene.database, 'Viewer');
    await joinTeam(scene.database, viewer, scene.owner, 'viewer');
    await refused(open('', { who: viewer }), 403, 'forbidden');
    expect(cluster.seen.commands).toEqual([]);
    const plain = await scene.send(scene.owner, 'GET', `/api/deployments/${shop.id}/exec?service=web`);
    expect([plain.statusCode, plain.json().code, plain.headers.upgrade]).toEqual([
      426,
      'upgrade_required',
      'websocket',
    ]);
    const offersNothing = openTestSocket({ port, path: pathOf(''), who: scene.owner, protocols: [] });
    await refused(offersNothing, 400, 'invalid_input');
  });

  it('is cut when the role is taken away', async () => {
    const member = await createTenant(scene.database, 'Leaver');
    await joinTeam(scene.database, member, scene.owner, 'developer');
    const shell = await open('&session=aaaaaaaaaaaaaaaa', { who: member });
    await scene.database.execute('delete from team_members where user_id = $1', [member.userId]);
    expect(await shell.closed).toMatchObject({ code: 4403 });
    await until(async () => (await records()).at(-1)?.detail.includes('role does not allow') ?? false);
  });
});

describe('a client that comes back', () => {
  it('goes on where it was, and only to its own shell', async () => {
    const first = await open('&session=bbbbbbbbbbbbbbbb');
    first.say('one ');
    await first.hears('one ');
    first.socket.terminate();
    const [pod] = cluster.seen.sockets.slice(-1);
    pod?.send(Buffer.from(`${String.fromCharCode(CHANNELS.stdout)}two `));
    const other = await open('&session=bbbbbbbbbbbbbbbb&offset=0', { who: colleague });
    expect(await other.closed).toMatchObject({ code: 4404, reason: expect.stringMatching(/is gone/) });
    const second = await open('&session=bbbbbbbbbbbbbbbb&offset=4');
    await second.hears('two ');
    expect(second.output()).toBe('two ');
    expect(second.messages[0]?.toString()).toBe('\u0004{"Pod":"shop-web-a","Offset":4}');
    second.say('three');
    await second.hears('three');
    await expect(open('&session=bbbbbbbbbbbbbbbb')).rejects.toMatchObject({ status: 409 });
    const third = await open('&session=bbbbbbbbbbbbbbbb&offset=0');
    expect(await second.closed).toMatchObject({ code: 4404, reason: expect.stringMatching(/in another place/) });
    await third.hears('one two three');
    third.socket.close(1000);
    await third.closed;
    const late = await open('&session=bbbbbbbbbbbbbbbb&offset=4');
    expect(await late.closed).toMatchObject({ code: 4404 });
  });

  it('learns how it ended meanwhile', async () => {
    const first = await open('&session=cccccccccccccccc');
    // Its place and three channels: a connection that is cut with something unread would take what was said with it.
    await until(() => first.messages.length === 4);
    first.say('exit 0');
    first.socket.terminate();
    await until(async () => (await records()).at(-1)?.detail.includes('exit code 0') ?? false);
    const second = await open('&session=cccccccccccccccc&offset=0');
    expect(await second.closed).toMatchObject({ code: 1000, reason: 'ended with exit code 0' });
    const third = await open('&session=cccccccccccccccc&offset=0');
    expect(await third.closed).toMatchObject({ code: 4404 });
  });

  it('is told how much it missed when more was written than is kept', async () => {
    const first = await open('&session=dddddddddddddddd');
    first.say(`say 300 ${'x'.repeat(1024)}`);
    await until(() => first.output().length === 300 * 1024);
    first.socket.terminate();
    const second = await open('&session=dddddddddddddddd&offset=10');
    await until(() => second.output().length === SHELL_KEPT_BYTES);
    expect(second.messages[0]?.subarray(1).toString()).toBe(
      JSON.stringify({ Pod: 'shop-web-a', Offset: 300 * 1024 - SHELL_KEPT_BYTES }),
    );
  });
});

describe('a client that does not read', () => {
  it('slows the pod down, and gets everything once it does', async () => {
    const shell = await open();
    await until(() => cluster.seen.commands.length === 1);
    shell.socket.pause();
    shell.say(`say 100 ${'y'.repeat(500_000)}`);
    const [pod] = cluster.seen.sockets.slice(-1);
    let waiting = -1;
    // It is stuck when what the pod still has to send stays the same.
    await until(() => {
      const before = waiting;
      waiting = pod?.bufferedAmount ?? 0;
      return waiting > 1_000_000 && waiting === before;
    });
    shell.socket.resume();
    await until(() => shell.output().length === 50_000_000);
    shell.socket.close(1000);
  });
});
