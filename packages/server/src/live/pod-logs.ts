import { LABELS } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import type { KubeObject } from '@berth/kube/schema/object';
import { POD } from '@berth/kube/schema/resources';
import { type LogLine, linesOf, parseLogLine } from './log-line.ts';

/** Pods of a deployment and their logs, from the API server. */
export interface DeploymentPods {
  namespace: string;
  deployment: string;
  /** Services and jobs; all when absent. */
  services?: readonly string[] | undefined;
  /** Only this one. */
  pod?: string | undefined;
}

export interface LoggingPod {
  namespace: string;
  name: string;
  /** Or job. */
  service: string;
  container?: string | undefined;
}

export type LogClient = Pick<KubeClient, 'list' | 'raw'>;

interface PodObject extends KubeObject {
  spec?: { containers?: { name: string }[] };
}

/** Oldest first. */
export async function listPods(client: LogClient, wanted: DeploymentPods): Promise<LoggingPod[]> {
  const { namespace, deployment, services, pod } = wanted;
  const labelSelector = `${LABELS.deployment}=${deployment}${services ? `,${LABELS.service} in (${services.join(',')})` : ''}`;
  const { items } = await client.list<PodObject>(POD, { namespace, labelSelector });
  const age = ({ metadata }: PodObject) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
  return items
    .filter(({ metadata }) => pod === undefined || metadata.name === pod)
    .sort((a, b) => (age(a) < age(b) ? -1 : 1))
    .map((each) => {
      const service = each.metadata.labels?.[LABELS.service] ?? '';
      const containers = each.spec?.containers ?? [];
      // A mesh may put its own container beside ours.
      const container = (containers.find(({ name }) => name === service) ?? containers[0])?.name;
      return { namespace, name: each.metadata.name, service, container };
    });
}

export interface LogRequest {
  pod: LoggingPod;
  follow?: boolean;
  previous?: boolean;
  tail?: number | undefined;
  since?: string | undefined;
  signal: AbortSignal;
}

/** The lines, in words why there are none yet, or nothing when the pod is gone. */
export async function readLog(
  client: LogClient,
  request: LogRequest,
): Promise<AsyncIterable<LogLine> | string | undefined> {
  const { pod, follow, previous, tail, since, signal } = request;
  const query = new URLSearchParams({ timestamps: 'true' });
  if (pod.container !== undefined) query.set('container', pod.container);
  if (follow) query.set('follow', 'true');
  if (previous) query.set('previous', 'true');
  if (tail !== undefined) query.set('tailLines', String(tail));
  if (since !== undefined) query.set('sinceTime', since);
  const answer = await client.raw('GET', `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}/log?${query}`, {
    signal,
  });
  if (answer.status === 200) return parsed(answer.body);
  const text = await answer.text();
  return answer.status === 404 ? undefined : messageOf(text);
}

async function* parsed(body: AsyncIterable<Uint8Array>): AsyncIterable<LogLine> {
  for await (const line of linesOf(body)) yield parseLogLine(line);
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
