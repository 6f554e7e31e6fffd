import { LABELS } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import type { KubeObject } from '@berth/kube/schema/object';
import { POD } from '@berth/kube/schema/resources';
import { type LogLine, linesOf, parseLogLine } from './log-line.ts';

/** Logs of the pods of one service, from the API server. */
export interface ServicePods {
  namespace: string;
  deployment: string;
  service: string;
}

export type LogClient = Pick<KubeClient, 'list' | 'raw'>;

/** Oldest first. */
export async function listPods(client: LogClient, { namespace, deployment, service }: ServicePods): Promise<string[]> {
  const labelSelector = `${LABELS.deployment}=${deployment},${LABELS.service}=${service}`;
  const { items } = await client.list<KubeObject>(POD, { namespace, labelSelector });
  const age = (pod: KubeObject) => `${pod.metadata.creationTimestamp ?? ''} ${pod.metadata.name}`;
  return items.sort((a, b) => (age(a) < age(b) ? -1 : 1)).map((pod) => pod.metadata.name);
}

export interface LogRequest {
  namespace: string;
  pod: string;
  follow: boolean;
  tail?: number | undefined;
  since?: string | undefined;
  signal: AbortSignal;
}

/** The lines, in words why there are none yet, or nothing when the pod is gone. */
export async function readLog(
  client: LogClient,
  request: LogRequest,
): Promise<AsyncIterable<LogLine> | string | undefined> {
  const { namespace, pod, follow, tail, since, signal } = request;
  const query = new URLSearchParams({ timestamps: 'true' });
  if (follow) query.set('follow', 'true');
  if (tail !== undefined) query.set('tailLines', String(tail));
  if (since !== undefined) query.set('sinceTime', since);
  const answer = await client.raw('GET', `/api/v1/namespaces/${namespace}/pods/${pod}/log?${query}`, { signal });
  if (answer.status === 200) return parsed(pod, answer.body);
  const text = await answer.text();
  return answer.status === 404 ? undefined : messageOf(text);
}

async function* parsed(pod: string, body: AsyncIterable<Uint8Array>): AsyncIterable<LogLine> {
  for await (const line of linesOf(body)) yield parseLogLine(pod, line);
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: string };
    return message ?? text.slice(0, 200);
  } catch {
    // Not a Status: a proxy answered.
    return text.slice(0, 200);
  }
}
