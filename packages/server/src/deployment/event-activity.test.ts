import { serviceObjectName } from '@berth/core/names';
import { describe, expect, it } from 'vitest';
import type { DeploymentRow } from './deployment-row.ts';
import { eventStory, type KubeEvent } from './event-activity.ts';

const row = (name: string, ...services: string[]): DeploymentRow =>
  ({
    id: name,
    name,
    spec: {
      services: services.map((service) => ({
        name: service,
        image: 'i',
        volumes: [{ name: 'data', mountPath: '/d', size: '1Gi' }],
      })),
    },
  }) as DeploymentRow;
const ROWS = [row('shop', 'web', 'web-api'), row('shop-web', 'api'), row('x'.repeat(63), 'db')];
const NOW = new Date('2026-01-01T00:00:00Z');

const event = (about: Partial<KubeEvent['involvedObject']>, changes: Partial<KubeEvent> = {}): KubeEvent => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', uid: 'u' },
  involvedObject: { kind: 'Pod', ...about },
  type: 'Warning',
  reason: 'BackOff',
  message: 'restarting failed container',
  ...changes,
});
const story = (each: KubeEvent) => eventStory(each, ROWS, NOW);

describe('an event', () => {
  it.each([
    ['Pod', 'shop-web-5d9f-abcde', 'shop', 'web'],
    ['Pod', `${serviceObjectName('shop', 'web-api')}-5d9f-abcde`, 'shop', 'web-api'],
    ['Pod', 'shop-web-api-5d9f-abcde', 'shop-web', 'api'],
    ['Deployment', 'shop-web', 'shop', 'web'],
    ['PersistentVolumeClaim', 'shop-web-data', 'shop', 'web'],
    ['Pod', `${serviceObjectName('x'.repeat(63), 'db')}-5d9f-abcde`, 'x'.repeat(63), 'db'],
    ['UserDeployment', 'shop-web', 'shop-web', undefined],
  ])('about the %s %s belongs to its deployment', (kind, name, deployment, service) => {
    const told = story(event({ kind, name }));
    expect([told?.row.name, told?.service]).toEqual([deployment, service]);
  });

  it('about anything else is not told', () => {
    expect(story(event({ name: 'shopweb-1' }))).toBeUndefined();
    expect(story(event({ kind: 'UserDeployment', name: 'none' }))).toBeUndefined();
    expect(story(event({ name: 'shop-web-a-b' }, { type: 'Normal', reason: 'Pulled' }))).toBeUndefined();
  });

  it('of the normal kind is told when it means something', () => {
    expect(story(event({ name: 'shop-web-a-b' }, { type: 'Normal', reason: 'Started' }))?.level).toBe('info');
    expect(story(event({ kind: 'UserDeployment', name: 'shop' }, { type: 'Normal', reason: 'Any' }))).toBeUndefined();
  });

  it('that only repeats that an image was not had is left to the one that says why', () => {
    const pull = (message: string) => story(event({ name: 'shop-web-a-b' }, { reason: 'Failed', message }));
    expect(pull('Error: ImagePullBackOff')).toBeUndefined();
    expect(pull('Failed to pull image "i": not found')?.level).toBe('warning');
  });

  it('of an update that stopped is told by its revision instead', () => {
    const stopped = { reason: 'UpdateStopped', message: 'The version before serves.' };
    expect(story(event({ kind: 'UserDeployment', name: 'shop' }, stopped))).toBeUndefined();
  });

  it('of a failing probe is told when it lasts', () => {
    const probe = (message: string, count: number) =>
      story(event({ name: 'shop-web-a-b' }, { reason: 'Unhealthy', message, count }));
    expect(probe('Readiness probe failed: refused', 3)).toBeUndefined();
    expect(probe('Readiness probe failed: refused', 4)?.level).toBe('warning');
    expect(probe('Startup probe failed: refused', 20)).toBeUndefined();
  });

  it('that goes on is told at 1, 2, 4, 8 times', () => {
    const keys = Array.from(
      { length: 9 },
      (_, index) => story(event({ name: 'shop-web-a-b' }, { count: index + 1 }))?.sourceKey,
    );
    expect(new Set(keys).size).toBe(4);
  });

  it('keeps its time when it has one', () => {
    expect(story(event({ name: 'shop-web-a' }))?.at).toEqual(NOW);
    const lastTimestamp = '2025-12-31T10:00:00Z';
    expect(story(event({ name: 'shop-web-a' }, { lastTimestamp }))?.at.toISOString()).toBe('2025-12-31T10:00:00.000Z');
  });
});
