import { setTimeout as delay } from 'node:timers/promises';
import { NAMESPACE } from '../src/schema/resources.ts';
import type { Answer, Body, ConformanceCase, Note, Scene, Show } from './conformance-case.ts';
import { normalise } from './normalise.ts';
import type { Request } from './requests.ts';
import type { Target } from './target.ts';

const UNTIL_MS = 90_000;
const ANSWER_MS = 30_000;
const LOOK_EVERY_MS = 200;

/** What one cluster says to one case. A case that breaks off has that as its last note. */
export async function runCase(target: Target, each: ConformanceCase, namespace: string): Promise<Note[]> {
  const notes: Note[] = [];
  const undo: (() => Promise<unknown>)[] = [];
  const note = (what: string, seen: unknown, asked?: string) => {
    notes.push({
      what,
      ...(asked !== undefined && { asked: String(normalise(asked, namespace)) }),
      seen: normalise(seen, namespace),
    });
  };
  const send = (request: Request) => sendTo(target, request);
  const scene: Scene = {
    client: target.client,
    namespace,
    send,
    note: (what, seen) => note(what, seen),
    afterwards: (work) => undo.push(work),
    async ask(what, request, show) {
      const answer = await send(request);
      note(what, shown(answer, show), `${request.method} ${request.path}`);
      return answer;
    },
    async until(what, request, { holds, show, withinMs = UNTIL_MS }) {
      const deadline = performance.now() + withinMs;
      let answer = await send(request);
      while (!holdsFor(holds, answer.body) && performance.now() < deadline) {
        await delay(LOOK_EVERY_MS);
        answer = await send(request);
      }
      const seen = holdsFor(holds, answer.body) ? shown(answer, show) : { never: shown(answer, undefined) };
      note(what, seen, `${request.method} ${request.path}`);
      return answer;
    },
  };
  try {
    await makeNamespace(target, namespace);
    await each.run(scene);
  } catch (error) {
    note('breaks off', error instanceof Error ? error.message : error);
  } finally {
    for (const work of undo.reverse()) await work().catch((error: unknown) => note('is not undone', String(error)));
    await target.client.delete(NAMESPACE, { name: namespace });
  }
  return notes;
}

/** Looking at an answer that is not there yet is no fault of the case. */
function holdsFor(holds: (body: Body) => boolean, body: Body): boolean {
  try {
    return holds(body);
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function shown({ status, body, warnings }: Answer, show: Show | undefined): unknown {
  const failed = status >= 400;
  return { status, body: show && !failed ? show(body) : body, ...(warnings.length > 0 && { warnings }) };
}

async function sendTo({ client }: Target, { method, path, body, headers }: Request): Promise<Answer> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await client.raw(method, path, {
    signal: AbortSignal.timeout(ANSWER_MS),
    headers: { ...type, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const warning = answer.headers.warning;
  return { status: answer.status, body: parse(text), warnings: warning === undefined ? [] : [warning] };
}

function parse(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    // A log, or a plain answer such as an old-fashioned 404.
    return text;
  }
}

/** Whole: with what the controllers put into every namespace. */
async function makeNamespace({ client, ownObjects }: Target, name: string): Promise<void> {
  await client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const deadline = performance.now() + UNTIL_MS;
  for (const [type, object] of ownObjects) {
    while (!(await isThere(client, `/api/v1/namespaces/${name}/${type.plural}/${object}`))) {
      if (performance.now() > deadline) throw new Error(`the namespace never got its ${type.kind} ${object}`);
      await delay(LOOK_EVERY_MS);
    }
  }
}

async function isThere(client: Target['client'], path: string): Promise<boolean> {
  const answer = await client.raw('GET', path);
  await answer.text();
  return answer.status === 200;
}
