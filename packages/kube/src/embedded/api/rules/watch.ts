import type { KubeObject, WatchEvent } from '../../../schema/object.ts';
import { apiVersionOf } from '../../../schema/object.ts';
import { StoreCompactedError, type StoredRecord, type StoreEvent } from '../../store/store.ts';
import { badRequest, expired } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { fromStored, type RuleRequest, type Rules } from './rules.ts';
import { matches, parseSelection, type Selection } from './selection.ts';

export interface WatchQuery {
  selection: Selection;
  /** Undefined: from now, after the objects there are. */
  since: number | undefined;
  initial: boolean;
  bookmarks: boolean;
  timeoutSeconds: number;
}

/** How an event leaves the rules: with the stored record, so that whoever writes it may take its JSON as it is. */
export interface RuleEvent {
  type: WatchEvent['type'];
  object: KubeObject;
  record: StoredRecord | undefined;
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
/** A real server takes 30 to 60 minutes; the client may ask for less. */
const DEFAULT_TIMEOUT_SECONDS = 1800;

export function parseWatchQuery(kind: Kind, name: string, query: URLSearchParams): WatchQuery {
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d{0,16}$/.test(version))
    throw badRequest(
      `resourceVersion: Invalid value: ${JSON.stringify(version)}: must be a version a list has answered`,
    );
  const selection = parseSelection(kind, query.get('labelSelector'), query.get('fieldSelector'));
  if (name) selection.fields.push({ field: 'metadata.name', equal: true, value: name });
  const initial = query.get('sendInitialEvents');
  if (initial === 'true' && query.get('resourceVersionMatch') !== 'NotOlderThan') {
    throw badRequest('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  const timeout = Number(query.get('timeoutSeconds') ?? 0);
  return {
    selection,
    since: version === '' || version === '0' || initial === 'true' ? undefined : Number(version),
    // Without a version a watch begins with what is there, unless it says otherwise.
    initial: initial === null ? version === '' || version === '0' : initial === 'true',
    bookmarks: query.get('allowWatchBookmarks') === 'true' || query.get('allowWatchBookmarks') === '1',
    timeoutSeconds: timeout > 0 ? timeout : DEFAULT_TIMEOUT_SECONDS,
  };
}

/** Starts a watch: the events so far come before this returns. The result ends it. */
export function watchObjects(
  rules: Rules,
  { kind, namespace }: RuleRequest,
  watch: { query: WatchQuery; emit: (event: RuleEvent) => void },
): () => void {
  const { query, emit } = watch;
  const { store } = rules;
  const chosen = (record: StoredRecord) =>
    (namespace === '' || record.address.namespace === namespace) && matches(kind, query.selection, record.object);
  const event = (type: RuleEvent['type'], record: StoredRecord): RuleEvent => ({
    type,
    object: fromStored(kind, record.object),
    record,
  });
  const since = query.since ?? store.revision();
  if (query.initial) {
    for (const record of store.list(kind.storage, namespace === '' ? undefined : namespace))
      if (chosen(record)) emit(event('ADDED', record));
    if (query.bookmarks) emit(bookmark(kind, since, { [INITIAL_EVENTS_END]: 'true' }));
  }
  try {
    return store.watch(kind.storage, since, (change) => {
      const type = typeFor(change, chosen);
      if (type === 'DELETED' && change.type !== 'DELETED' && change.previous) {
        emit({ type, object: fromStored(kind, lastSeen(change.previous, change.record)), record: undefined });
      } else if (type) emit(event(type, change.record));
    });
  } catch (error) {
    if (error instanceof StoreCompactedError)
      throw expired(`too old resource version: ${error.requested} (${error.compacted})`);
    throw error;
  }
}

/** An object that enters or leaves the selection appears or disappears for the watcher, whatever happened to it. */
function typeFor(
  { type, record, previous }: StoreEvent,
  chosen: (record: StoredRecord) => boolean,
): RuleEvent['type'] | undefined {
  const before = previous !== undefined && chosen(previous);
  if (type === 'DELETED') return before ? 'DELETED' : undefined;
  const after = chosen(record);
  if (before && after) return 'MODIFIED';
  if (after) return 'ADDED';
  return before ? 'DELETED' : undefined;
}

/** What leaves a selection is shown as it was while it was in it, so that whoever kept it by a label finds it; at the new version. */
function lastSeen(previous: StoredRecord, { object }: StoredRecord): KubeObject {
  const { resourceVersion } = object.metadata;
  const metadata = { ...previous.object.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
  return { ...previous.object, metadata };
}

export function bookmark(kind: Kind, revision: number, annotations?: Record<string, string>): RuleEvent {
  const metadata = { resourceVersion: String(revision), creationTimestamp: null, ...(annotations && { annotations }) };
  const object = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata } as unknown as KubeObject;
  return { type: 'BOOKMARK', object, record: undefined };
}
