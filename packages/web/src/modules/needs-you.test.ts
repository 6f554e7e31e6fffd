import { describe, expect, it } from 'vitest';
import { aDeployment, aService, aUsage, TEAM_ID } from '../testing/fixtures.ts';
import { needsYou } from './needs-you.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
const roomy = aUsage({ deployments: { used: 1, allowed: 25 } });
const needs = (...deployments: ReturnType<typeof aDeployment>[]) =>
  needsYou({ teamId: TEAM_ID, deployments, usage: roomy, now });
const condition = (type: string, message: string) => ({
  type,
  status: 'False' as const,
  reason: 'Because',
  message,
  lastTransitionTime: minutesAgo(1),
});

describe('needsYou', () => {
  it('says nothing while all is well', () => {
    const stopped = aDeployment({ name: 'b', phase: 'Stopped', desired: 'stopped' });
    expect(needs(aDeployment({ phase: 'Running' }), stopped)).toEqual([]);
  });

  it('names the failing service, its cause, what still runs, and opens its log', () => {
    const [need] = needs(
      aDeployment({
        name: 'checkout',
        phase: 'Failing',
        services: [
          aService('api', 'Failing', { reason: 'CrashLoopBackOff', message: 'Exited with code 1.' }),
          aService('web'),
        ],
      }),
    );
    expect(need).toMatchObject({
      tone: 'bad',
      subject: 'checkout',
      sentence: 'is failing: api keeps crashing',
      cause: 'Exited with code 1. Still running: web.',
      action: { label: 'Open logs', to: `/teams/${TEAM_ID}/deployments/checkout/logs?service=api` },
    });
  });

  it.each([
    ['Admitted', 'waits for room in the plan', 'See plan'],
    ['HostsClaimed', 'has no address', 'Change the address'],
    ['Valid', 'cannot run as it is described', 'Edit'],
  ])('speaks for a blocked %s condition before anything else', (type, sentence, label) => {
    const found = needs(
      aDeployment({
        phase: 'Failing',
        conditions: [condition(type, 'the cause')],
        services: [aService('web', 'Failing')],
      }),
    );
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ sentence, cause: 'the cause', action: { label } });
  });

  it('asks for secrets that have no value', () => {
    const [need] = needs(aDeployment({ phase: 'Pending', secrets: [{ key: 'password', set: false }] }));
    expect(need).toMatchObject({ sentence: 'waits for a secret', cause: 'password has no value yet.' });
  });

  it('notices a start that takes too long, not one that has just begun', () => {
    const starting = (minutes: number) =>
      aDeployment({
        phase: 'Starting',
        updatedAt: minutesAgo(minutes),
        createdAt: minutesAgo(minutes),
        services: [aService('web', 'Waiting')],
      });
    expect(needs(starting(3))).toEqual([]);
    expect(needs(starting(12))[0]).toMatchObject({
      tone: 'warn',
      sentence: 'has not been ready for 12 minutes',
      cause: 'Waiting for web.',
    });
  });

  it('starts the clock anew when something old is started again', () => {
    const conditions = [{ ...condition('Ready', 'stopped'), lastTransitionTime: minutesAgo(9000) }];
    const again = aDeployment({ phase: 'Starting', createdAt: minutesAgo(9999), updatedAt: minutesAgo(1), conditions });
    expect(needs(again)).toEqual([]);
    expect(needs({ ...again, updatedAt: minutesAgo(180) })[0]?.sentence).toBe('has not been ready for 3 hours');
  });

  it('says what blocks a deletion, and nothing else about what is going', () => {
    const going = (minutes: number) =>
      aDeployment({
        phase: 'Deleting',
        desired: 'deleted',
        updatedAt: minutesAgo(minutes),
        services: [aService('web', 'Failing')],
        message: 'volume data is still mounted',
      });
    expect(needs(going(1))).toEqual([]);
    expect(needs(going(6))[0]).toMatchObject({ tone: 'warn', cause: 'volume data is still mounted' });
  });

  it('tells limits: reached, one left, nearly full; and stays quiet without a limit', () => {
    const of = (usage: Parameters<typeof aUsage>[0]) =>
      needsYou({ teamId: TEAM_ID, deployments: [], usage: aUsage(usage), now }).map((each) => each.sentence);
    const few = { used: 1, allowed: 25 };
    expect(of({ deployments: { used: 3, allowed: 3 } })).toEqual(['3 of 3 deployments used']);
    expect(of({ deployments: { used: 14, allowed: 15 } })).toEqual(['14 of 15 deployments used']);
    expect(of({ deployments: { used: 1, allowed: 3 } })).toEqual([]);
    expect(of({ deployments: few, memory: { used: 2 ** 30, allowed: 2 ** 30 } })).toEqual([
      '1 GiB of 1 GiB memory used',
    ]);
    expect(of({ deployments: { used: 4000 }, cpu: { used: 900 } })).toEqual([]);
  });

  it('puts the worst first', () => {
    const slow = aDeployment({ name: 'a', phase: 'Starting', createdAt: minutesAgo(20), updatedAt: minutesAgo(20) });
    const failing = aDeployment({ name: 'b', phase: 'Failing' });
    const full = aUsage({ deployments: { used: 14, allowed: 15 } });
    const found = needsYou({ teamId: TEAM_ID, deployments: [slow, failing], usage: full, now });
    expect(found.map((each) => each.tone)).toEqual(['bad', 'warn', 'info']);
  });
});
