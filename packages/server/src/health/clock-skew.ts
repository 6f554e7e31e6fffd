import type { Clock } from '../clock.ts';
import { type Finding, failure, ok, warning } from './check.ts';

/** Certificates, tokens and leases are compared with clocks. */
const WARN_FROM_MS = 10_000;
const FAIL_FROM_MS = 120_000;

/** Reads another clock between two looks at ours: the way there and back is no skew. */
export async function clockSkew(
  clock: Clock,
  { of, read, toleranceMs }: { of: string; read(): Promise<Date | undefined>; toleranceMs: number },
): Promise<Finding> {
  const before = clock().getTime();
  const theirs = await read();
  const after = clock().getTime();
  if (!theirs) return ok(`The clock of ${of} is not told.`);
  const ahead = theirs.getTime() - after;
  const behind = before - theirs.getTime();
  const skew = Math.max(0, ahead, behind) - toleranceMs;
  if (skew < WARN_FROM_MS) return ok(`The clocks of this server and of ${of} agree.`);
  const direction = ahead > behind ? 'ahead of' : 'behind';
  const message = `The clock of ${of} is ${Math.round(skew / 1000)} s ${direction} this server's.`;
  const fix = 'Let both machines take their time from NTP: certificates, tokens and schedules depend on it.';
  return skew < FAIL_FROM_MS ? warning(message, fix) : failure(message, fix);
}
