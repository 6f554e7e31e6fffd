import type { Chart } from './metrics-data.ts';

const ROWS = 30;

/** The charts once more as figures, for whoever cannot see lines or wants to copy them. */
export function MetricsTable({ at, charts }: { at: readonly number[]; charts: readonly Chart[] }) {
  const every = Math.max(1, Math.ceil(at.length / ROWS));
  const rows = at.flatMap((seconds, index) => ((at.length - 1 - index) % every === 0 ? [{ seconds, index }] : []));
  return (
    <details className="rounded-panel border border-line bg-panel">
      <summary className="cursor-pointer px-3.5 py-2 font-medium">As a table</summary>
      <section
        aria-label="Measurements"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto border-t border-line -outline-offset-2"
      >
        <table className="numeric w-full text-right whitespace-nowrap">
          <caption className="sr-only">What was measured, newest first</caption>
          <thead className="sticky top-0 bg-panel text-faint">
            <tr>
              <th scope="col" className="px-3.5 py-1.5 text-left font-medium">
                Time
              </th>
              {charts.flatMap(({ title, series }) =>
                series.map(({ name }) => (
                  <th key={`${title} ${name}`} scope="col" className="px-3.5 py-1.5 font-medium">
                    {title}: {name}
                  </th>
                )),
              )}
            </tr>
          </thead>
          <tbody>
            {rows.reverse().map(({ seconds, index }) => (
              <tr key={seconds} className="border-t border-line">
                <th scope="row" className="px-3.5 py-1 text-left font-normal text-muted">
                  {new Date(seconds * 1000).toLocaleString()}
                </th>
                {charts.flatMap(({ title, series, words }) =>
                  series.map(({ name, values }) => (
                    <td key={`${title} ${name}`} className="px-3.5 py-1">
                      {typeof values[index] === 'number' ? (
                        words(values[index])
                      ) : (
                        <span className="text-faint">not measured</span>
                      )}
                    </td>
                  )),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
