import { randomBytes } from 'node:crypto';
import { CHANNELS } from '@berth/core/shell';
import { until } from '@berth/kube/client/testing/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Scene, startScene } from '../deployment/testing/scene.ts';
import { masterKeys } from '../secret/master-keys.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../testing/server-pair.ts';
import { createTenant, joinTeam, type TestTenant } from '../testing/tenants.ts';
import { type InternalCertificate, makeInternalCertificate } from '../up/certificates.ts';
import { sealTicket } from './peer-ticket.ts';
import { type PodServer, runningPod, startPodServer } from './testing/pod-server.ts';
import { openTestSocket } from './testing/shell-client.ts';

const keys = masterKeys({ id: 'test', key: randomBytes(32) });
let cluster: PodServer;
let scene: Scene;
let shop: { id: string };
let certificate: InternalCertificate;
let common: TestServerOptions;
let one: TestServer;
let two: TestServer;
beforeAll(async () => {
  cluster = await startPodServer();
  scene = await startScene({ client: cluster.client });
  shop = await scene.create({ name: 'shop', template: 'plain' });
  cluster.pods.push(runningPod('shop-web-a'));
  certificate = await makeInternalCertificate(new Date());
  common = { databaseUrl: scene.database.url, client: cluster.client, keys, certificate };
  await startBoth();
});
afterAll(async () => {
  await Promise.all([one.stop(), two.stop()]);
  await scene.end();
  await cluster.close();
});

async function startBoth(): Promise<void> {
  [one, two] = await Promise.all([startTestServer(common), startTestServer(common)]);
}

const open = (server: TestServer, query: string, who: TestTenant = scene.owner) =>
  openTestSocket({ port: server.port, path: `/api/deployments/${shop.id}/exec?service=web${query}`, who });
const records = () =>
  scene.database.query<{ outcome: string; detail: string; actor: string }>(
    `select outcome, detail, actor from audit_records where action = 'deployment:exec' order by sequence`,
  );
const places = () => scene.database.query('select * from shells');

describe('a client that comes back to another server', () => {
  it('is taken to its shell, byte for byte, and back again', async () => {
    const first = await open(one, '&session=aaaaaaaaaaaaaaaa');
    first.say('one ');
    await first.hears('one ');
    await expect(open(two, '&session=aaaaaaaaaaaaaaaa')).rejects.toMatchObject({ status: 409 });
    first.socket.terminate();
    const second = await open(two, '&session=aaaaaaaaaaaaaaaa&offset=4');
    second.socket.send(Buffer.from(`${String.fromCharCode(CHANNELS.resize)}{"Width":99,"Height":24}`));
    second.say('two ');
    await second.hears('two ');
    expect(second.output()).toBe('two ');
    expect(second.messages[0]?.toString()).toBe('\u0004{"Pod":"shop-web-a","Offset":4}');
    expect(cluster.seen.sizes).toContain('{"Width":99,"Height":24}');
    second.socket.terminate();
    const third = await open(one, '&session=aaaaaaaaaaaaaaaa&offset=0');
    await third.hears('one two ');
    const fourth = await open(two, '&session=aaaaaaaaaaaaaaaa&offset=8');
    expect(await third.closed).toMatchObject({ code: 4404, reason: expect.stringMatching(/in another place/) });
    fourth.say('exit 3');
    expect(await fourth.closed).toEqual({ code: 1000, reason: 'ended with exit code 3' });
    await until(async () => (await places()).length === 0);
    await until(async () => (await records()).at(-1)?.detail.includes('exit code 3') ?? false);
  });

  it('gets a large output whole, however slowly it reads', async () => {
    const first = await open(one, '&session=bbbbbbbbbbbbbbbb');
    await until(() => first.messages.length === 4);
    first.socket.terminate();
    const second = await open(two, '&session=bbbbbbbbbbbbbbbb&offset=0');
    await until(() => second.messages.length > 0);
    second.socket.pause();
    second.say(`say 20 ${'y'.repeat(500_000)}`);
    const pod = cluster.seen.sockets.at(-1);
    let waiting = -1;
    await until(() => {
      const before = waiting;
      waiting = pod?.bufferedAmount ?? 0;
      return waiting > 1_000_000 && waiting === before;
    });
    second.socket.resume();
    await until(() => second.output().length === 10_000_000);
    second.socket.close(1000);
    await second.closed;
    await until(async () => (await places()).length === 0);
    await until(async () => (await records()).at(-1)?.detail.includes('the client ended it') ?? false);
  });

  it('loses the shell at once with the right to it, at whichever server', async () => {
    const member = await createTenant(scene.database, 'Leaver');
    await joinTeam(scene.database, member, scene.owner, 'developer');
    const first = await open(one, '&session=cccccccccccccccc', member);
    first.socket.terminate();
    const second = await open(two, '&session=cccccccccccccccc&offset=0', member);
    await until(() => second.messages.length > 0);
    await scene.database.execute('delete from team_members where user_id = $1', [member.userId]);
    expect(await second.closed).toMatchObject({ code: 4403 });
    await until(async () => (await places()).length === 0);
  });

  it('finds nothing of another person there', async () => {
    const colleague = await createTenant(scene.database, 'Colleague');
    await joinTeam(scene.database, colleague, scene.owner, 'developer');
    await open(one, '&session=dddddddddddddddd');
    const theirs = await open(two, '&session=dddddddddddddddd&offset=0', colleague);
    expect(await theirs.closed).toMatchObject({ code: 4404 });
  });
});

describe('a server that goes', () => {
  beforeEach(async () => {
    await Promise.all([one.stop(), two.stop()]);
    await startBoth();
  });

  it('by a kill: the client is told, and a new shell of that name is free to be made', async () => {
    const first = await open(one, '&session=eeeeeeeeeeeeeeee');
    first.socket.terminate();
    const second = await open(two, '&session=eeeeeeeeeeeeeeee&offset=0');
    await until(() => second.messages.length > 0);
    await one.kill();
    expect(await second.closed).toMatchObject({ code: 1012 });
    const third = await open(two, '&session=eeeeeeeeeeeeeeee&offset=0');
    expect(await third.closed).toMatchObject({ code: 4404, reason: expect.stringMatching(/has stopped/) });
    const fresh = await open(two, '&session=eeeeeeeeeeeeeeee');
    fresh.say('hello');
    await fresh.hears('hello');
  });

  it('by a stop: who is only passed through comes back elsewhere, shells of its own stay for the time that was told', async () => {
    const held = await open(one, '&session=ffffffffffffffff');
    const passing = await open(two, '&session=gggggggggggggggg');
    passing.socket.terminate();
    const through = await open(one, '&session=gggggggggggggggg&offset=0');
    await until(() => through.messages.length > 0);
    const stopping = one.stop({ shellGraceSeconds: 30 });
    await until(() => held.messages.some((message) => message.toString() === '\u0004{"EndsInSeconds":30}'));
    held.say('still here');
    await held.hears('still here');
    // Its connection breaks off: it is still reached through the other one.
    held.socket.terminate();
    const again = await open(two, '&session=ffffffffffffffff&offset=0');
    await again.hears('still here');
    expect(again.messages.some((message) => /EndsInSeconds/.test(message.toString()))).toBe(true);
    again.say('exit 0');
    expect(await again.closed).toMatchObject({ code: 1000 });
    await stopping;
    expect(await through.closed).toMatchObject({ code: 1012 });
    const back = await open(two, '&session=gggggggggggggggg&offset=0');
    back.say('goes on');
    await back.hears('goes on');
  });

  it('ends in words what outlives its time', async () => {
    const held = await open(one, '&session=hhhhhhhhhhhhhhhh');
    await until(() => held.messages.length === 4);
    await one.stop({ shellGraceSeconds: 0 });
    expect(await held.closed).toMatchObject({ code: 4404, reason: expect.stringMatching(/was stopped/) });
    expect(await places()).toEqual([]);
  });
});

describe('the address between servers', () => {
  beforeAll(async () => {
    await two.stop();
    await startBoth();
  });

  const knock = (authorization?: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`wss://localhost:${one.internalPort}/internal/shells`, ['v5.channel.k8s.io'], {
        ca: certificate.authority,
        headers: { ...(authorization && { authorization }) },
      });
      socket.once('open', () => reject(new Error('it opened')));
      socket.once('error', reject);
      socket.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
    });

  it('is closed to whoever has no ticket, a ticket of another key, or one for another server', async () => {
    const held = await open(one, '&session=iiiiiiiiiiiiiiii');
    await until(async () => (await places()).length === 1);
    const [place] = (await places()) as { id: string; holder: string }[];
    const who = { userId: scene.owner.userId, authentication: { kind: 'login' as const, id: scene.owner.loginId } };
    const ticket = { ...who, shell: place?.id ?? '', holder: place?.holder ?? '', offset: 0, requestId: 'r' };
    const other = masterKeys({ id: 'test', key: randomBytes(32) });
    const now = new Date();
    expect(await knock()).toBe(401);
    expect(await knock('Bearer x.y')).toBe(401);
    expect(await knock(`Bearer ${sealTicket(other, ticket, now)}`)).toBe(401);
    expect(await knock(`Bearer ${sealTicket(keys, { ...ticket, holder: 'another' }, now)}`)).toBe(404);
    expect(await knock(`Bearer ${sealTicket(keys, ticket, new Date(now.getTime() - 600_000))}`)).toBe(401);
    expect(await knock(`Bearer ${sealTicket(keys, { ...ticket, shell: 'unknown' }, now)}`)).toBe(404);
    expect(await knock(`Bearer ${sealTicket(keys, { ...ticket, userId: scene.stranger.userId }, now)}`)).toBe(404);
    const signedOut = { ...ticket, authentication: { kind: 'login' as const, id: 'ended' } };
    expect(await knock(`Bearer ${sealTicket(keys, signedOut, now)}`)).toBe(403);
    held.say('untouched');
    await held.hears('untouched');
  });
});
