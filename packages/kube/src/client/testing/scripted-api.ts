import type { KubeList, KubeObject, WatchEvent } from '../../schema/object.ts';
import { KubeError } from '../../schema/status.ts';
import type { KubeClient, ListOptions, WatchOptions } from '../client.ts';

export type Fault = 'refuse' | 'gone' | 'end' | 'reset' | 'malformed' | 'silence';

/**
 * One collection with versions and history, served in process to a reflector, that misbehaves when told. Not a model of
 * Kubernetes: only of what list and watch promise, and of how that breaks.
 */
export interface ScriptedApi {
  client: Pick<KubeClient, 'list' | 'watch'>;
  set(name: string, value: number): void;
  remove(name: string): void;
  objects(): KubeObject[];
  /** Forgets history: a watch from before gets 410. */
  compact(): void;
  bookmark(): void;
  /** Every open watch suffers it; `refuse` and `gone` strike the next requests too, until `heal`. */
  inflict(fault: Fault): void;
  /** Nothing gets through and nothing is reset, as behind a firewall that drops. */
  block(): void;
  heal(): void;
  requests: { verb: 'list' | 'watch'; at: number }[];
}

interface OpenWatch {
  fault: Fault | undefined;
  bookmark: boolean;
  wake: () => void;
}

export function createScriptedApi(monotonic: () => number = () => 0): ScriptedApi {
  const objects = new Map<string, KubeObject>();
  const history: { version: number; event: WatchEvent }[] = [];
  const watches = new Set<OpenWatch>();
  const snapshots = new Map<number, KubeObject[]>();
  const requests: ScriptedApi['requests'] = [];
  let version = 1;
  let uids = 0;
  let compacted = 0;
  let blocked = false;
  let standing: 'refuse' | 'gone' | undefined;

  function record(type: WatchEvent['type'], object: KubeObject): void {
    history.push({ version, event: { type, object } });
    for (const watch of watches) watch.wake();
  }

  /** What a blocked request does: nothing, until its caller gives up. */
  function hang(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_resolve, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  }

  async function list(_type: unknown, options: ListOptions = {}): Promise<KubeList> {
    requests.push({ verb: 'list', at: monotonic() });
    if (blocked) throw new KubeError(503, 'ServiceUnavailable', 'no answer within 30000 ms');
    if (standing === 'refuse') throw refused();
    const [at, from] = (options.continue ?? `${version}/0`).split('/').map(Number) as [number, number];
    if (options.continue && at < compacted) throw expired();
    // Later pages show what the first one saw.
    const all = snapshots.get(at) ?? [...objects.values()];
    snapshots.set(at, all);
    const page = all.slice(from, from + (options.limit ?? all.length));
    const more = from + page.length < all.length ? `${at}/${from + page.length}` : undefined;
    return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: String(at), continue: more }, items: page };
  }

  async function* watch(_type: unknown, options: WatchOptions): AsyncGenerator<WatchEvent> {
    requests.push({ verb: 'watch', at: monotonic() });
    const { signal } = options;
    let seen = Number(options.resourceVersion);
    await suffer(seen < compacted ? 'gone' : standing, signal);
    options.onOpen?.();
    const self: OpenWatch = { fault: undefined, bookmark: false, wake: () => undefined };
    const wake = () => self.wake();
    signal?.addEventListener('abort', wake);
    watches.add(self);
    try {
      for (;;) {
        signal?.throwIfAborted();
        if (self.fault === 'end') return;
        await suffer(self.fault, signal);
        const next = nextFor(self, seen);
        if (next) {
          seen = next.version;
          yield next.event;
        } else {
          await new Promise<void>((resolve) => {
            self.wake = resolve;
          });
        }
      }
    } finally {
      signal?.removeEventListener('abort', wake);
      watches.delete(self);
    }
  }

  async function suffer(fault: Fault | undefined, signal: AbortSignal | undefined): Promise<void> {
    if (blocked || fault === 'silence') await hang(signal);
    if (fault) throw fault === 'gone' ? expired() : refused();
  }

  function nextFor(watch: OpenWatch, seen: number): { version: number; event: WatchEvent } | undefined {
    const next = history.find((entry) => entry.version > seen);
    if (next || !watch.bookmark) return next;
    watch.bookmark = false;
    return { version, event: bookmarkAt(version) };
  }

  return {
    client: { list, watch } as Pick<KubeClient, 'list' | 'watch'>,
    set(name, value) {
      version++;
      const uid = objects.get(name)?.metadata.uid ?? `uid-${++uids}`;
      const metadata = { name, namespace: 'team', uid, resourceVersion: String(version) };
      const object = { apiVersion: 'v1', kind: 'Thing', metadata, value };
      const type = objects.has(name) ? 'MODIFIED' : 'ADDED';
      objects.set(name, object);
      record(type, object);
    },
    remove(name) {
      const object = objects.get(name);
      if (!object) return;
      version++;
      objects.delete(name);
      record('DELETED', { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    },
    objects: () => [...objects.values()],
    compact() {
      version++;
      compacted = version;
      history.length = 0;
    },
    bookmark() {
      for (const watch of watches) {
        watch.bookmark = true;
        watch.wake();
      }
    },
    inflict(fault) {
      if (fault === 'refuse' || fault === 'gone') standing = fault;
      for (const watch of watches) {
        watch.fault = fault;
        watch.wake();
      }
    },
    block() {
      blocked = true;
      for (const watch of watches) watch.wake();
    },
    heal() {
      blocked = false;
      standing = undefined;
    },
    requests,
  };
}

function bookmarkAt(version: number): WatchEvent {
  const metadata = { name: '', resourceVersion: String(version) };
  return { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'Thing', metadata } };
}

function refused(): KubeError {
  return new KubeError(503, 'ServiceUnavailable', 'connect ECONNREFUSED');
}

function expired(): KubeError {
  return new KubeError(410, 'Expired', 'too old resource version');
}
