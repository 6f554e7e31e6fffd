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
const openAll = (id: string, query: string, lastEventId?: string): Promise<SseClient<LogEvent>> =>
  openEvents(port, { path: `/api/deployments/${id}/logs${query}`, who: scene.owner, lastEventId });
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

  it('gives all services merged by time, or those that are named, with their levels', async () => {
    const made = await scene.create({ name: 'all', template: 'plain' });
    pods.write('all-web-a', ['1 INFO start', '3 ERROR broken']);
    pods.write('all-db-a', ['2 ready', '4 WARN full']);
    const all = await openAll(made.id, '?follow=false');
    await all.next(isEnd);
    expect(texts(all)).toEqual(['INFO start', 'ready', 'ERROR broken', 'WARN full']);
    expect(all.messages.map(({ event }) => event)).toContainEqual({
      type: 'line',
      at: '2026-01-01T00:00:04Z',
      service: 'db',
      pod: 'all-db-a',
      level: 'warning',
      text: 'WARN full',
    });
    const serious = await openAll(made.id, '?follow=false&level=warning&tail=1');
    await serious.next(isEnd);
    expect(texts(serious)).toEqual(['ERROR broken', 'WARN full']);
    const found = await openAll(made.id, '?follow=false&q=READ');
    await found.next(isEnd);
    expect(texts(found)).toEqual(['ready']);
    const since = await openAll(made.id, '?follow=false&since=2026-01-01T00:00:03Z');
    await since.next(isEnd);
    expect(texts(since)).toEqual(['ERROR broken', 'WARN full']);
    const one = await openAll(made.id, '?follow=false&pod=all-web-a');
    await one.next(isEnd);
    expect(texts(one)).toEqual(['INFO start', 'ERROR broken']);
    const previous = await openAll(made.id, '?previous=true&pod=all-web-a');
    await previous.next(isEnd);
    expect(previous.messages[0]?.event).toMatchObject({
      type: 'notice',
      message: 'all-web-a: previous terminated container of "all-web-a" not found',
    });
  });

  it('is resumed after any line, without one lost or doubled, though many are of one instant', async () => {
    const made = await scene.create({ name: 'resume', template: 'plain' });
    const instant = Array.from({ length: 8 }, (_, index) => `2 web ${index}`);
    pods.write('resume-web-a', ['1 first', ...instant]);
    pods.write('resume-web-b', ['2 b', '3 c']);
    const whole = await openAll(made.id, '?tail=3');
    await whole.next(text('c'));
    whole.drop();
    const told = texts(whole);
    expect(told).toEqual(['web 5', 'web 6', 'web 7', 'b', 'c']);
    pods.write('resume-web-a', ['2 late', '4 d']);
    pods.write('resume-web-z', ['3 new pod']);
    const lines = whole.messages.filter(({ event }) => event.type === 'line');
    for (const [index, { position }] of lines.entries()) {
      const again = await openAll(made.id, '?tail=3', position);
      await again.next(text('d'));
      again.drop();
      expect(again.messages[0]?.event).toEqual({ type: 'resumed' });
      const expected = [...told.slice(index + 1), 'late', 'new pod', 'd'];
      expect(texts(again).sort()).toEqual(expected.sort());
    }
  });

  it('goes on with new lines only when none of the old are wanted', async () => {
    const made = await scene.create({ name: 'none', template: 'plain' });
    pods.write('none-web-a', ['1 old', '1 old too']);
    const stream = await open(made.id, '&tail=0');
    pods.write('none-web-a', ['1 new']);
    await stream.next(text('new'));
    expect(texts(stream)).toEqual(['new']);
    stream.drop();
  });

  it('is a file as well', async () => {
    const made = await scene.create({ name: 'file', template: 'plain' });
    pods.write('file-web-a', ['1 one', '3 three']);
    pods.write('file-web-b', ['2 two']);
    const answer = await scene.send(scene.owner, 'GET', `/api/deployments/${made.id}/logs/download?service=web`);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="file-web-[-\dT]+\.log"$/);
    expect(answer.body).toBe(
      '2026-01-01T00:00:01Z file-web-a one\n2026-01-01T00:00:02Z file-web-b two\n2026-01-01T00:00:03Z file-web-a three\n',
    );
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
