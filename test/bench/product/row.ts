/** One line of the result: ours, what it is compared with, and their ratio. */
export interface Row {
  what: string;
  ours: string;
  baseline: string;
  ratio: string;
}

export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`;

/** How many times the baseline's time ours takes. */
export function timeRow(what: string, ours: number, [name, baseline]: [string, number]): Row {
  return {
    what,
    ours: seconds(ours),
    baseline: `${name} ${seconds(baseline)}`,
    ratio: `${(ours / baseline).toFixed(2)} x its time`,
  };
}

/** How much of the baseline's rate ours reaches. */
export function rateRow(what: string, ours: number, [name, baseline]: [string, number]): Row {
  return {
    what,
    ours: `${ours.toFixed(0)}/s`,
    baseline: `${name} ${baseline.toFixed(0)}/s`,
    ratio: `${(ours / baseline).toFixed(2)} of its rate`,
  };
}

export function printRows(rows: readonly Row[]): void {
  const columns = ['what', 'ours', 'baseline', 'ratio'] as const;
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
  for (const row of [Object.fromEntries(columns.map((column) => [column, column])) as unknown as Row, ...rows]) {
    console.log(columns.map((column, index) => row[column].padEnd(widths[index] ?? 0)).join('  '));
  }
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
