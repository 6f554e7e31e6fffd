import type { LogEvent } from '@berth/core/log-event';
import type { MultiplexEvent } from '@berth/core/stream-topic';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

const open = (topics: string[], who: TestTenant = scene.owner): Promise<SseClient<MultiplexEvent>> =>
  openEvents(port, { path: `/api/live?${new URLSearchParams(topics.map((topic) => ['topic', topic]))}`, who });
const isLine = (topic: string, text: string) => (event: MultiplexEvent) =>
  event.type === 'topic' && event.topic === topic && event.event.type === 'line' && event.event.text === text;
const isOf = (topic: string, type: string) => (event: MultiplexEvent) =>
  event.type === 'topic' && event.topic === topic && event.event.type === type;
const logs = (id: string, service = 'web') => `/deployments/${id}/logs?service=${service}`;

describe('several streams over one connection', () => {
  it('come each as they would by themselves, and one that is refused leaves the others alone', async () => {
    const made = await scene.create({ name: 'many', template: 'plain' });
    pods.write('many-web-a', ['1 hello']);
    const events = `/events?team=${scene.owner.teamId}`;
    const nowhere = logs('a0a0a0a0a0a0a0a0');
    const unknown = '/deployments';
    const stream = await open([events, logs(made.id), nowhere, logs(made.id, 'none'), unknown]);
    await stream.next(isOf(events, 'snapshot'));
    await stream.next(isLine(logs(made.id), 'hello'));
    for (const topic of [nowhere, logs(made.id, 'none'), unknown]) {
      expect((await stream.next((event) => event.type === 'refused' && event.topic === topic)).event).toMatchObject({
        code: 'not_found',
      });
    }
    pods.write('many-web-a', ['2 more']);
    await stream.next(isLine(logs(made.id), 'more'));
    stream.drop();
  });

  it('go on where they were', async () => {
    const made = await scene.create({ name: 'goon', template: 'plain' });
    pods.write('goon-web-a', ['1 one', '2 two']);
    const topic = logs(made.id);
    const stream = await open([topic]);
    const { event } = await stream.next(isLine(topic, 'one'));
    stream.drop();
    const position = event.type === 'topic' ? event.position : undefined;
    const again = await open([`${topic}#${position}`]);
    await again.next(isLine(topic, 'two'));
    const told = again.messages.map((each) => (each.event.type === 'topic' ? each.event.event : undefined));
    expect(told.map((each) => each?.type)).toEqual(['resumed', 'line']);
    again.drop();
  });

  it('have rights and audit of their own, and end one by one', async () => {
    const made = await scene.create({ name: 'rights', template: 'plain' });
    pods.write('rights-web-a', ['1 theirs']);
    const member = await createTenant(scene.database, 'Reader');
    await joinTeam(scene.database, member, scene.owner, 'viewer');
    const own = `/events?team=${member.teamId}`;
    const stream = await open([own, logs(made.id)], member);
    await stream.next(isLine(logs(made.id), 'theirs'));
    const records = await scene.database.query<{ route: string; target: string; outcome: string }>(
      'select route, target, outcome from audit_records where actor = $1',
      [member.email],
    );
    expect(records).toEqual([{ route: '/api/deployments/:id/logs', target: made.id, outcome: 'allowed' }]);
    await scene.send(scene.owner, 'DELETE', `/api/teams/${scene.owner.teamId}/members/${member.userId}`);
    const end = await stream.next(isOf(logs(made.id), 'end'));
    expect(end.event).toMatchObject({ event: { reason: 'access_removed' } satisfies Partial<LogEvent> });
    await scene.send(member, 'POST', '/api/teams');
    expect(stream.messages.some(({ event }) => event.type === 'end')).toBe(false);
    await scene.send(member, 'POST', '/api/logout');
    expect((await stream.next((event) => event.type === 'end')).event).toEqual({ type: 'end', reason: 'signed_out' });
    await stream.ended;
  });

  it('are at most so many', async () => {
    const topics = Array.from({ length: 21 }, (_, index) => `/events?team=${index}`);
    expect((await open(topics)).status).toBe(400);
  });
});
