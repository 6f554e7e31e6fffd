import { bookmark, parseWatchQuery, type RuleEvent, watchObjects } from '../rules/watch.ts';
import { partialOf } from '../table.ts';
import { type Form, negotiate } from './negotiate.ts';
import { type ResourceCall, ruleRequest, table } from './resource-call.ts';

/** A client that reads slower than this much is behind is cut off: it lists again and catches up. */
const LARGEST_BACKLOG_BYTES = 32 * 1024 * 1024;
const BOOKMARK_EVERY_MS = 60_000;

/** Streams events as lines of JSON until the client goes, its time is up or it falls too far behind. */
export async function serveWatch(call: ResourceCall): Promise<void> {
  const { rules, kind, info, path, reply } = call;
  const { response } = reply;
  const query = parseWatchQuery(kind, path.name, info.query);
  const form = negotiate(reply.request.headers.accept);
  const write = lineWriter(call, form);
  const waiting: string[] = [];
  let open = false;
  const emit = (event: RuleEvent) => {
    // The time is up and a slow reader still takes what was written before: what comes now is for its next watch.
    if (response.writableEnded) return;
    const line = write(event);
    if (!open) waiting.push(line);
    else if (response.writableLength > LARGEST_BACKLOG_BYTES) response.destroy();
    else response.write(line);
  };
  // An expired version is still an ordinary error here: nothing has been sent.
  const stop = watchObjects(rules, ruleRequest(call), { query, emit });
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  if (waiting.length > 0) response.write(waiting.join(''));
  open = true;
  const deadline = setTimeout(() => response.end(), Math.min(query.timeoutSeconds * 1000, 2 ** 31 - 1));
  const bookmarks =
    query.bookmarks && setInterval(() => emit(bookmark(kind, rules.store.revision())), BOOKMARK_EVERY_MS);
  // The request's own `close` fires as soon as its body is read; only the response knows when the client has gone.
  await new Promise<void>((resolve) => response.once('close', resolve));
  stop();
  clearTimeout(deadline);
  if (bookmarks) clearInterval(bookmarks);
}

/** Rows of a table after the first carry no column definitions. */
function lineWriter(call: ResourceCall, form: Form): (event: RuleEvent) => string {
  let first = true;
  return ({ type, object, record }) => {
    if (form === 'object' || type === 'BOOKMARK') {
      const json = record && record.object === object ? record.json : JSON.stringify(object);
      return `{"type":"${type}","object":${json}}\n`;
    }
    if (form === 'metadata') return `${JSON.stringify({ type, object: partialOf(object) })}\n`;
    const rows = table(call, [object], { resourceVersion: object.metadata.resourceVersion }, first);
    first = false;
    return `${JSON.stringify({ type, object: rows })}\n`;
  };
}
