import { describe, expect, it } from 'vitest';
import { watchEventLoop } from './event-loop.ts';
import { answerProbe, type Probes } from './probes.ts';

const well = { name: 'database', problem: () => undefined };
const away = { name: 'cluster', tells: true, problem: () => 'it does not answer' };
const broken = { name: 'schema', problem: async () => 'it is not there yet' };

describe('a probe', () => {
  const probes: Probes = { live: [well], ready: [well, away, broken] };

  it('that passes is short, unless more is asked', async () => {
    expect(await answerProbe(probes, '/livez')).toEqual({ status: 200, text: 'ok\n' });
    expect(await answerProbe(probes, '/healthz')).toEqual({ status: 200, text: 'ok\n' });
    expect(await answerProbe(probes, '/livez?verbose')).toEqual({
      status: 200,
      text: '[+]database ok\nlivez check passed\n',
    });
  });

  it('that fails says of each check how it is', async () => {
    expect(await answerProbe(probes, '/readyz')).toEqual({
      status: 503,
      text: '[+]database ok\n[!]cluster degraded: it does not answer\n[-]schema failed: it is not there yet\nreadyz check failed\n',
    });
  });

  it('passes when only what is told goes wrong, or what is excluded', async () => {
    expect(await answerProbe({ live: [], ready: [well, away] }, '/readyz')).toEqual({ status: 200, text: 'ok\n' });
    const answer = await answerProbe(probes, '/readyz?verbose&exclude=schema');
    expect(answer).toEqual({
      status: 200,
      text: '[+]database ok\n[!]cluster degraded: it does not answer\n[+]schema excluded: ok\nreadyz check passed\n',
    });
  });

  it('does not tell what was thrown', async () => {
    const careless = { name: 'database', problem: () => Promise.reject(new Error('password s3cret is wrong')) };
    const answer = await answerProbe({ live: [], ready: [careless] }, '/readyz');
    expect(answer?.status).toBe(503);
    expect(answer?.text).not.toContain('s3cret');
  });

  it('is at its own addresses only', async () => {
    expect(await answerProbe(probes, '/')).toBeUndefined();
    expect(await answerProbe(probes, '/metrics')).toBeUndefined();
    expect(await answerProbe(probes, '/constructor')).toBeUndefined();
  });
});

it('an event loop that runs passes', async () => {
  const watch = watchEventLoop();
  expect(await answerProbe({ live: watch.probes, ready: [] }, '/livez?verbose')).toMatchObject({
    status: 200,
    text: expect.stringContaining('[+]event-loop ok'),
  });
  watch.stop();
});
