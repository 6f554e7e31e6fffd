import { SpanKind } from '@opentelemetry/api';
import { inInnerSpan } from '../tracing/spans.ts';

const LONGEST_TEXT = 2_000;

/** The text of a statement of ours holds no value: those are sent beside it. */
export function traceStatement<T>(text: string, run: () => Promise<T>): Promise<T> {
  return inInnerSpan(
    () => ({
      name: operationOf(text),
      kind: SpanKind.CLIENT,
      attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.replace(/\s+/g, ' ').slice(0, LONGEST_TEXT) },
    }),
    run,
  );
}

/** `select`, `insert`, `begin`. */
function operationOf(text: string): string {
  return /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'statement';
}
