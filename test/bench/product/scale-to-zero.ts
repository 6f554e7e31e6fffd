import { setTimeout as delay } from 'node:timers/promises';
import { type Row, seconds, timed } from './row.ts';
import { inParallel, type Session } from './session.ts';

const TEMPLATE = `apiVersion: berth.dev/v1alpha1
kind: Template
metadata:
  name: idle
spec:
  kind: deployment
  version: 1.0.0
  displayName: Idle
  description: One service without a pod.
  category: app
  services:
    - name: web
      image: berth.dev/whoami:1
      replicas: 0
      ports: [{ name: http, port: 8080 }]
  exposure: { service: web, port: http }
`;

/** Deployments scaled to zero, from the first request until all are ready: what the platform itself costs, without any pod. */
export async function measureScaleToZero(session: Session, count: number): Promise<Row> {
  await session.call('POST', '/api/templates', { team: session.team, source: TEMPLATE });
  const names = Array.from({ length: count }, (_, index) => `idle-${String(index).padStart(4, '0')}`);
  let accepted = 0;
  const took = await timed(async () => {
    const started = performance.now();
    await inParallel(names, 8, async (name) => {
      await session.call('POST', '/api/deployments', { team: session.team, name, template: 'idle' });
    });
    accepted = performance.now() - started;
    while ((await countReady(session)) < count) await delay(100);
  });
  return {
    what: `create to ready of ${count}, scaled to zero`,
    ours: seconds(took),
    baseline: `accepted after ${seconds(accepted)}`,
    ratio: `${((1000 * count) / took).toFixed(1)} a second`,
  };
}

async function countReady(session: Session): Promise<number> {
  const query = `team=${session.team}&limit=500&q=idle-`;
  const { items } = await session.call<{ items: { phase: string }[] }>('GET', `/api/deployments?${query}`);
  return items.filter(({ phase }) => phase === 'Running').length;
}
