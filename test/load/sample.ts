/** One request as its sender saw it. */
export interface Sample {
  id: string;
  phase: string;
  /** `WS`: a WebSocket, whose status is 101 when each message came back and it was closed in order. */
  method: 'GET' | 'POST' | 'WS';
  slow: boolean;
  /** Undefined when no answer came. */
  status?: number;
  /** Why none came: `ECONNRESET` and the like. */
  error?: string;
  milliseconds: number;
}

/** What the sender is told by whoever started it, and what it tells in the end. */
export type Command = { phase: string } | { stop: true };
export interface Report {
  samples: Sample[];
}

const ROWS = ['phase', 'sent', 'answered', 'good', 'other', 'no answer', 'p50 ms', 'p99 ms', 'slow', 'slow p99 ms'];

/** A row a phase and one for all; the latency of those that are slow by intent is told apart. */
export function tableOf(samples: readonly Sample[]): string {
  const phases = [...new Set(samples.map(({ phase }) => phase))];
  const rows = [
    ROWS,
    ...phases.map((phase) =>
      rowOf(
        phase,
        samples.filter((each) => each.phase === phase),
      ),
    ),
  ];
  if (phases.length > 1) rows.push(rowOf('all', samples));
  const widths = ROWS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))))
    .map((row) => row.join('  '))
    .join('\n');
}

function rowOf(name: string, samples: readonly Sample[]): string[] {
  const answered = samples.filter(({ status }) => status !== undefined);
  const good = answered.filter(isGood);
  const quick = good.filter(({ slow }) => !slow).map(({ milliseconds }) => milliseconds);
  const slow = good.filter((each) => each.slow).map(({ milliseconds }) => milliseconds);
  const counts = [samples.length, answered.length, good.length, answered.length - good.length];
  return [
    name,
    ...counts.map(String),
    String(samples.length - answered.length),
    percentile(quick, 0.5),
    percentile(quick, 0.99),
    String(samples.filter((each) => each.slow).length),
    percentile(slow, 0.99),
  ];
}

export function isGood({ method, status }: Pick<Sample, 'method' | 'status'>): boolean {
  if (method === 'WS') return status === 101;
  return status !== undefined && status >= 200 && status < 300;
}

function percentile(values: readonly number[], share: number): string {
  if (values.length === 0) return '-';
  const sorted = [...values].sort((one, other) => one - other);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

/** What was answered with 2xx must have been counted, and nothing twice; one without an answer may have been counted or not. */
export function countingProblems(samples: readonly Sample[], counted: readonly string[]): string[] {
  const times = new Map<string, number>();
  for (const id of counted) times.set(id, (times.get(id) ?? 0) + 1);
  const sent = new Set(samples.filter(({ method }) => method === 'POST').map(({ id }) => id));
  const lost = samples.filter((each) => each.method === 'POST' && isGood(each) && !times.has(each.id));
  const twice = [...times].filter(([, count]) => count > 1);
  const foreign = [...times.keys()].filter((id) => !sent.has(id));
  return [
    ...lost.map(({ id, phase }) => `POST ${id} (${phase}) was answered and not counted`),
    ...twice.map(([id, count]) => `POST ${id} was counted ${count} times`),
    ...foreign.map((id) => `${id} was counted and never sent`),
  ];
}
