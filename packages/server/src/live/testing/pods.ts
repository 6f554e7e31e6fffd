import { EventEmitter, on } from 'node:events';
import type { KubeClient, RawResponse } from '@berth/kube/client/client';

/** Pods whose logs a test writes: the part of an API server that log streams use. */
export interface FakePods {
  client: KubeClient;
  /** Lines as `SECOND text`. Makes the pod when it is new; its name begins with its deployment's. */
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
      const lines = written.slice(told).filter((line) => line >= since);
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
    const status = logs.has(pod) ? 200 : 404;
    const body = read(pod, url.searchParams, options?.signal);
    return { status, headers: {}, body, text: async () => JSON.stringify({ message: `pods "${pod}" not found` }) };
  };

  return {
    client: {
      raw,
      async list(_type: unknown, { labelSelector = '' }: { labelSelector?: string } = {}) {
        const deployment = /berth\.dev\/deployment=([^,]+)/.exec(labelSelector)?.[1] ?? '';
        const names = [...logs.keys()].filter((name) => name.startsWith(`${deployment}-`));
        const items = names.map((name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } }));
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
