import type { LogEvent } from '@berth/core/log-event';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finishRemoval } from '../deployment/finish-removal.ts';
import { type Scene, startScene } from '../deployment/testing/scene.ts';
import { createTenant, joinTeam, type TestTenant } from '../testing/tenants.ts';
import { createPods, type FakePods } from './testing/pods.ts';
import { listenForTests, openEvents, type SseClient } from './testing/sse-client.ts';

let scene: Scene;
let pods: FakePods;
let port: number;
beforeAll(async () => {
  pods = createPods();
  scene = await startScene({ client: pods.client });
  port = await listenForTests(scene.app.app);
});
afterAll(() => scene.end());

const open = (id: string, query = '', who: TestTenant = scene.owner): Promise<SseClient<LogEvent>> =>
  openEvents(port, { path: `/api/deployments/${id}/logs?service=web${query}`, who });
const text = (wanted: string) => (event: LogEvent) => event.type === 'line' && event.text === wanted;
const isEnd = (event: LogEvent) => event.type === 'end';
const texts = (stream: SseClient<LogEvent>) =>
  stream.messages.flatMap(({ event }) => (event.type === 'line' ? [event.text] : []));

describe('the log stream', () => {
  it('gives the last lines of all pods in the order of their time, and ends when not asked to follow', async () => {
    const made = await scene.create({ name: 'tail', template: 'plain' });
    pods.write('tail-web-a', ['1 a1', '3 a2']);
    pods.write('tail-web-b', ['2 b1', '4 b2']);
    const stream = await open(made.id, '&tail=2&follow=false');
    expect((await stream.next(isEnd)).event).toEqual({ type: 'end', reason: 'complete' });
    expect(texts(stream)).toEqual(['a1', 'b1', 'a2', 'b2']);
    await stream.ended;
  });

  it('follows across a restart of the container and a new pod, without a line lost or doubled', async () => {
    const made = await scene.create({ name: 'follow', template: 'plain' });
    pods.write('follow-web-a', ['1 one']);
    const stream = await open(made.id);
    await stream.next(text('one'));
    pods.write('follow-web-a', ['2 two']);
    await stream.next(text('two'));
    pods.endFollowers('follow-web-a');
    pods.write('follow-web-a', ['3 three']);
    await stream.next(text('three'));
    pods.remove('follow-web-a');
    pods.write('follow-web-b', ['4 four', '5 five']);
    await stream.next(text('five'));
    expect(texts(stream)).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect((await stream.next((event) => event.type === 'notice')).event).toMatchObject({
      message: 'follow-web-a is gone.',
    });
    stream.drop();
  });

  it('says why nothing comes', async () => {
    const made = await scene.create({ name: 'nothing', template: 'plain' });
    const stream = await open(made.id);
    expect((await stream.next((event) => event.type === 'notice')).event).toMatchObject({
      message: 'No pod of web runs.',
    });
    stream.drop();
    const answer = await scene.send(scene.owner, 'GET', `/api/deployments/${made.id}/logs?service=none`);
    expect(answer.json()).toMatchObject({ code: 'not_found', detail: expect.stringContaining('"none"') });
  });

  it('is a 404 for others, and ends for who loses the right and when the deployment goes', async () => {
    const made = await scene.create({ name: 'private', template: 'plain' });
    pods.write('private-web-a', ['1 secret line']);
    expect((await open(made.id, '', scene.stranger)).status).toBe(404);
    const member = await createTenant(scene.database, 'Reader');
    await joinTeam(scene.database, member, scene.owner, 'viewer');
    const [theirs, mine] = [await open(made.id, '', member), await open(made.id)];
    await theirs.next(text('secret line'));
    await scene.send(scene.owner, 'DELETE', `/api/teams/${scene.owner.teamId}/members/${member.userId}`);
    expect((await theirs.next(isEnd)).event).toEqual({ type: 'end', reason: 'access_removed' });
    await theirs.ended;
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${made.id}`);
    await finishRemoval(scene.deps, made.id);
    expect((await mine.next(isEnd)).event).toEqual({ type: 'end', reason: 'removed' });
  });
});
