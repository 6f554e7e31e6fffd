import { useId } from 'react';
import { Panel } from '../components/panel.tsx';
import { MetricsChart } from './metrics-chart.tsx';
import { type ChartMark, type ChartSeries, hasValues, limitInSight, summaryOf } from './metrics-data.ts';

/** One measure: its chart, and what its lines are and were, in figures. */
export function MetricsPanel(props: {
  title: string;
  at: readonly number[];
  from: number;
  series: readonly ChartSeries[];
  marks: readonly ChartMark[];
  words: (value: number) => string;
  binary?: boolean;
  /** Why there is nothing. */
  empty: string;
  cursor: number | undefined;
  onCursor: (index: number | undefined) => void;
}) {
  const { title, at, from, series, marks, words, binary, empty, cursor, onCursor } = props;
  const id = useId();
  const some = series.some(({ values }) => hasValues(values));
  const limited = series.some(({ limit }) => limit !== undefined);
  const say = (value: number | null | undefined) => (typeof value === 'number' ? words(value) : '–');
  return (
    <Panel title={title}>
      <div className="px-3.5 pt-3 pb-2">
        {some ? (
          <MetricsChart
            at={at}
            from={from}
            series={series}
            marks={marks}
            words={words}
            binary={binary}
            onCursor={onCursor}
          />
        ) : (
          <p className="flex h-44 items-center justify-center text-center text-pretty text-muted">{empty}</p>
        )}
      </div>
      <table className="w-full border-t border-line text-right" aria-describedby={id}>
        <caption id={id} className="sr-only">
          {title}, in figures
        </caption>
        <thead>
          <tr className="text-hint text-faint">
            <th scope="col" className="py-1 pl-3.5 text-left font-medium">
              <span className="sr-only">What</span>
            </th>
            <th scope="col" className="px-2 font-medium whitespace-nowrap">
              {cursor === undefined ? 'Now' : clock(at[cursor])}
            </th>
            <th scope="col" className="px-2 font-medium">
              Mean
            </th>
            <th scope="col" className="px-2 font-medium">
              Most
            </th>
            {limited ? (
              <th scope="col" className="py-1 pr-3.5 pl-2 font-medium">
                Limit
              </th>
            ) : (
              <td className="w-2" />
            )}
          </tr>
        </thead>
        <tbody className="numeric">
          {series.map((each) => {
            const { now, mean, most } = summaryOf(each.values);
            return (
              <tr key={each.name} className="border-t border-line">
                <th scope="row" className="w-full max-w-0 truncate py-1 pl-3.5 text-left font-normal" title={each.name}>
                  <svg aria-hidden viewBox="0 0 10 10" className="mr-2 inline-block size-2.5">
                    <rect y="3" width="10" height="4" rx="2" fill={`var(${each.colour})`} />
                  </svg>
                  {each.name}
                </th>
                <td className="px-2 whitespace-nowrap">{say(cursor === undefined ? now : each.values[cursor])}</td>
                <td className="px-2 whitespace-nowrap text-muted">{say(mean)}</td>
                <td className="px-2 whitespace-nowrap text-muted">{say(most)}</td>
                <td className="py-1 pr-3.5 pl-2 whitespace-nowrap text-muted">
                  {limited && say(each.limit)}
                  {limitInSight(each, series) && <span className="sr-only"> (the dashed line)</span>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Panel>
  );
}

function clock(seconds: number | undefined): string {
  return seconds === undefined ? '' : new Date(seconds * 1000).toLocaleTimeString();
}
