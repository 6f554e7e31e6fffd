import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useAppearance } from './appearance.ts';
import { type ChartMark, type ChartSeries, limitInSight, limitsAbove, topOf } from './metrics-data.ts';

export interface MetricsChartProps {
  at: readonly number[];
  /** Where the axis of time begins. */
  from: number;
  series: readonly ChartSeries[];
  marks: readonly ChartMark[];
  /** A value on the axis and beside the crosshair. */
  words: (value: number) => string;
  /** Powers of two rather than ten between the lines of the axis. */
  binary?: boolean;
  /** The column that the crosshair is on, in all charts. */
  onCursor: (index: number | undefined) => void;
}

const HEIGHT = 176;
const AXIS_WIDTH = 62;
const BINARY_INCREMENTS = Array.from({ length: 30 }, (_, index) => 2 ** (index + 12));

/** One chart on a canvas. Its crosshair is that of all charts of the page; colours come from the style sheet. */
export function MetricsChart(props: MetricsChartProps) {
  const { at, series, marks } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { theme } = useAppearance();
  const names = series.map(({ name, colour, limit }) => `${name} ${colour} ${limit}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: made anew for other lines and other colours only
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    const made = new uPlot(optionsFor(latest, box), dataOf(latest.current), box);
    chart.current = made;
    const resize = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height: HEIGHT }));
    resize.observe(box);
    return () => {
      resize.disconnect();
      made.destroy();
      chart.current = undefined;
    };
  }, [names, theme]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what is drawn
  useEffect(() => chart.current?.setData(dataOf(latest.current)), [at, series, marks]);
  return <div ref={place} aria-hidden className="h-44 w-full min-w-0" />;
}

type Latest = { current: MetricsChartProps };

function dataOf({ at, series }: MetricsChartProps): uPlot.AlignedData {
  return [at as number[], ...series.map(({ values }) => values as number[])];
}

function optionsFor(latest: Latest, box: HTMLElement): uPlot.Options {
  const styles = getComputedStyle(document.documentElement);
  const colour = (variable: string) => styles.getPropertyValue(variable).trim();
  const font = `11px ${styles.getPropertyValue('--font-sans') || 'sans-serif'}`;
  const axis: uPlot.Axis = {
    font,
    stroke: colour('--faint'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: box.clientWidth,
    height: HEIGHT,
    padding: [14, 8, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: 'metrics' }, drag: { x: false, y: false }, points: { size: 6 }, y: false },
    scales: {
      x: { range: (_, _first, last) => [latest.current.from, last] },
      y: { range: () => [0, topOf(latest.current.series) * 1.08 || 1] },
    },
    axes: [
      { ...axis, size: 26, space: 64, values: (_, times) => timeWords(times) },
      {
        ...axis,
        size: AXIS_WIDTH,
        space: 34,
        values: (_, values) => values.map((value) => latest.current.words(value)),
        ...(latest.current.binary && { incrs: BINARY_INCREMENTS }),
      },
    ],
    series: [
      {},
      ...latest.current.series.map(
        (each): uPlot.Series => ({
          label: each.name,
          stroke: colour(each.colour),
          width: 1.5,
          points: { show: isAlone },
        }),
      ),
    ],
    hooks: {
      draw: [
        (chart) => {
          drawMarks(chart, latest.current.marks, { line: colour('--muted'), font });
          const { series, words } = latest.current;
          for (const each of series) {
            if (limitInSight(each, series))
              drawLimit(chart, chart.valToPos(each.limit ?? 0, 'y', true), colour(each.colour));
          }
          const above = limitsAbove(series, words);
          if (above !== undefined) drawAbove(chart, above, { line: colour('--muted'), font });
        },
      ],
      setCursor: [(chart) => latest.current.onCursor(chart.cursor.idx ?? undefined)],
    },
  };
}

/** A single measurement between two gaps would be a line without length. */
const isAlone: uPlot.Series.Points.Show = (chart, index, from, until) => {
  const values = chart.data[index] ?? [];
  for (let at = from; at <= until; at++) {
    if (values[at] !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null) return true;
  }
  return false;
};

function drawMarks(chart: uPlot, marks: readonly ChartMark[], { line, font }: { line: string; font: string }): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = line;
  ctx.fillStyle = line;
  ctx.lineWidth = ratio;
  ctx.font = font.replace(/^\d+px/, `${10 * ratio}px`);
  ctx.textAlign = 'center';
  let free = Number.NEGATIVE_INFINITY;
  for (const { at, label } of marks) {
    const x = Math.round(chart.valToPos(at, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    // Of several close together one is named: all are in the list below.
    if (x < free) continue;
    ctx.fillText(label, x, bbox.top - 4 * ratio);
    free = x + ctx.measureText(label).width + 6 * ratio;
  }
  ctx.restore();
}

/** Limits that lie above what is shown: a dashed edge, and their figures below it. */
function drawAbove(chart: uPlot, text: string, { line, font }: { line: string; font: string }): void {
  const { ctx, bbox } = chart;
  drawLimit(chart, bbox.top, line);
  ctx.save();
  ctx.fillStyle = line;
  ctx.font = font.replace(/^\d+px/, `${10 * devicePixelRatio}px`);
  ctx.textAlign = 'left';
  ctx.fillText(`\u2191 ${text}`, bbox.left + 4 * devicePixelRatio, bbox.top + 12 * devicePixelRatio);
  ctx.restore();
}

function drawLimit(chart: uPlot, at: number, colour: string): void {
  const { ctx, bbox } = chart;
  const y = Math.round(at);
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/** The hour; where a day begins, the day. */
function timeWords(times: readonly number[]): string[] {
  return times.map((seconds) => {
    const time = new Date(seconds * 1000);
    if (time.getHours() === 0 && time.getMinutes() === 0 && time.getSeconds() === 0)
      return time.toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
    return time.toLocaleTimeString(undefined, {
      hour: '2-digit',
      minute: '2-digit',
      hour12: false,
      ...(time.getSeconds() !== 0 && { second: '2-digit' }),
    });
  });
}
