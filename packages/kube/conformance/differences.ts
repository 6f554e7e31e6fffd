import type { Note } from './conformance-case.ts';

/** One place where two clusters say different things. */
export interface Difference {
  area: string;
  case: string;
  step: string;
  asked: string | undefined;
  /** Within the answer, such as `body.spec.replicas`. */
  path: string;
  embedded: unknown;
  real: unknown;
}

export function differencesOf(of: { area: string; case: string }, embedded: Note[], real: Note[]): Difference[] {
  const length = Math.max(embedded.length, real.length);
  return Array.from({ length }, (_, at) => [embedded[at], real[at]] as const).flatMap(([ours, theirs]) => {
    const step = ours?.what ?? theirs?.what ?? '';
    const asked = ours?.asked ?? theirs?.asked;
    if (ours?.what !== theirs?.what) {
      return [{ ...of, step, asked, path: 'step', embedded: ours?.what, real: theirs?.what }];
    }
    return [...placesOf(ours?.seen, theirs?.seen)].map((each) => ({ ...of, step, asked, ...each }));
  });
}

type Place = Pick<Difference, 'path' | 'embedded' | 'real'>;

/** The smallest parts that differ; the whole where one was answered and the other refused, or refused in another way. */
function* placesOf(embedded: unknown, real: unknown): Generator<Place> {
  if (isRecord(embedded) && isRecord(real) && embedded.status !== real.status) {
    yield { path: 'all', embedded: shortly(embedded), real: shortly(real) };
  } else yield* apart(embedded, real, '');
}

/** What a refusal says; of anything else the status says enough. */
function shortly({ status, body }: Record<string, unknown>): unknown {
  if (status === undefined) return body;
  return isRecord(body) && body.message !== undefined ? `${status} ${body.message}` : status;
}

function* apart(embedded: unknown, real: unknown, path: string): Generator<Place> {
  if (isRecord(embedded) && isRecord(real)) {
    for (const name of [...new Set([...Object.keys(embedded), ...Object.keys(real)])].sort()) {
      yield* apart(embedded[name], real[name], path === '' ? name : `${path}.${name}`);
    }
  } else if (Array.isArray(embedded) && Array.isArray(real) && embedded.length === real.length) {
    for (const [at, item] of embedded.entries()) yield* apart(item, real[at], `${path}[${at}]`);
  } else if (JSON.stringify(embedded) !== JSON.stringify(real)) yield { path, embedded, real };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
