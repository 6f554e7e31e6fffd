import { EventEmitter, on } from 'node:events';
import type { KubeClient, RawResponse } from '@berth/kube/client/client';

/** Pods whose logs a test writes: the part of an API server that log streams use. */
export interface FakePods {
  client: KubeClient;
  /** Lines as `SECOND text`. Makes the pod when it is new; it is named `DEPLOYMENT-SERVICE-ANYTHING`. */
  write(pod: string, lines: readonly string[]): void;
  /** As when a container ends: whoever follows its log comes to its end. */
  endFollowers(pod: string): void;
  remove(pod: string): void;
}

export function createPods(): FakePods {
  const logs = new Map<string, string[]>();
  const changes = new EventEmitter().setMaxListeners(0);

  async function* read(pod: string, query: URLSearchParams, signal?: AbortSignal): AsyncIterable<Uint8Array> {
    const encoder = new TextEncoder();
    const written = logs.get(pod) ?? [];
    const since = query.get('sinceTime') ?? '';
    const tail = query.has('tailLines') ? Number(query.get('tailLines')) : written.length;
    let told = Math.max(0, written.length - tail);
    const take = () => {
      const lines = written.slice(told).filter((line) => isSince(line, since));
      told = written.length;
      return lines.map((line) => encoder.encode(`${line}\n`));
    };
    const following = on(changes, pod, { ...(signal && { signal }) });
    yield* take();
    if (query.get('follow') !== 'true') return;
    for await (const [what] of following) {
      yield* take();
      if (what === 'end') return;
    }
  }

  const raw = async (_method: string, path: string, options?: { signal?: AbortSignal }): Promise<RawResponse> => {
    const url = new URL(path, 'http://cluster');
    const pod = url.pathname.split('/')[6] ?? '';
    const previous = url.searchParams.get('previous') === 'true';
    const status = !logs.has(pod) ? 404 : previous ? 400 : 200;
    const body = read(pod, url.searchParams, options?.signal);
    const message = previous ? `previous terminated container of "${pod}" not found` : `pods "${pod}" not found`;
    return { status, headers: {}, body, text: async () => JSON.stringify({ message }) };
  };

  return {
    client: {
      raw,
      async list(_type: unknown, { labelSelector = '' }: { labelSelector?: string } = {}) {
        const deployment = /berth\.dev\/deployment=([^,]+)/.exec(labelSelector)?.[1] ?? '';
        const services = /berth\.dev\/service in \(([^)]+)\)/.exec(labelSelector)?.[1]?.split(',');
        const items = [...logs.keys()]
          .filter((name) => name.startsWith(`${deployment}-`))
          .map((name) => ({ name, service: name.slice(deployment.length + 1).split('-')[0] ?? '' }))
          .filter(({ service }) => services === undefined || services.includes(service))
          .map(({ name, service }) => ({
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name, labels: { 'berth.dev/service': service } },
          }));
        return { apiVersion: 'v1', kind: 'PodList', metadata: {}, items };
      },
    } as unknown as KubeClient,
    write(pod, lines) {
      const stamped = lines.map((line) => `2026-01-01T00:00:0${line.replace(' ', 'Z ')}`);
      const written = logs.get(pod) ?? [];
      logs.set(pod, written);
      written.push(...stamped);
      changes.emit(pod, 'line');
    },
    endFollowers: (pod) => void changes.emit(pod, 'end'),
    remove(pod) {
      logs.delete(pod);
      changes.emit(pod, 'end');
    },
  };
}

function isSince(line: string, since: string): boolean {
  return since === '' || Date.parse(line.split(' ')[0] ?? '') >= Date.parse(since);
}
