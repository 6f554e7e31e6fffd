import type { KubeClient } from '@berth/kube/client/client';

export interface Write {
  verb: 'create' | 'replace' | 'patch' | 'apply' | 'delete';
  kind: string;
  name: string;
  subresource: string | undefined;
}

/** A client that keeps what was written through it, and can die like a process between any two writes. */
export interface RecordingClient extends KubeClient {
  writes: Write[];
}

const VERBS = ['create', 'replace', 'patch', 'apply', 'delete'] as const;

/** `diesAfter` writes have reached the server, the last one's answer is lost and nothing works any more. Events do not count. */
export function recordingClient(client: KubeClient, diesAfter = Number.POSITIVE_INFINITY): RecordingClient {
  const writes: Write[] = [];
  const dead = () => writes.length >= diesAfter;
  const die = () => new Error('the process is gone');
  const wrapped = { ...client, writes } as RecordingClient;
  for (const verb of VERBS) {
    const call = client[verb] as (...parameters: unknown[]) => Promise<unknown>;
    const recorded = async (...parameters: unknown[]) => {
      if (dead()) throw die();
      const [type, target, ...rest] = parameters as [{ kind: string }, { name?: string; metadata?: { name: string } }];
      if (type.kind === 'Event' || type.kind === 'Lease') return call(...parameters);
      const { subresource } = (rest.at(-1) ?? {}) as { subresource?: string };
      writes.push({ verb, kind: type.kind, name: target.metadata?.name ?? target.name ?? '', subresource });
      const answer = await call(...parameters);
      if (dead()) throw die();
      return answer;
    };
    Object.assign(wrapped, { [verb]: recorded });
  }
  return wrapped;
}
