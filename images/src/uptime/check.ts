import { messageOf } from '../runtime/log.ts';

export interface CheckResult {
  at: string;
  good: boolean;
  /** Absent when there was no answer. */
  status?: number;
  milliseconds: number;
  problem?: string;
}

const TIMEOUT_MILLISECONDS = 10_000;

/** Asks once. An answer counts when all of it has come. */
export async function check(address: string, clock: () => Date): Promise<CheckResult> {
  const at = clock().toISOString();
  const since = performance.now();
  const took = (): number => Math.round(performance.now() - since);
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    const answer = await fetch(address, { signal, headers: { 'user-agent': 'berth-uptime' }, redirect: 'follow' });
    for await (const _part of answer.body ?? []);
    return { at, good: answer.status < 400, status: answer.status, milliseconds: took() };
  } catch (error) {
    return { at, good: false, milliseconds: took(), problem: problemOf(error) };
  }
}

function problemOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no whole answer within ${TIMEOUT_MILLISECONDS / 1000} seconds`;
  const cause = error instanceof Error ? error.cause : undefined;
  return (cause instanceof Error && messageOf(cause)) || messageOf(error);
}

/** What somebody handed in, if it is a result. */
export function parseResult(fields: Record<string, unknown>): CheckResult | undefined {
  const { at, good, status, milliseconds, problem } = fields;
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at)) || typeof good !== 'boolean') return undefined;
  if (typeof milliseconds !== 'number' || !(milliseconds >= 0)) return undefined;
  return {
    at: new Date(at).toISOString(),
    good,
    milliseconds: Math.round(milliseconds),
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof problem === 'string' ? { problem: problem.slice(0, 500) } : {}),
  };
}
