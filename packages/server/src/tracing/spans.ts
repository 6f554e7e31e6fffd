import { type Attributes, context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/**
 * Spans by the API of OpenTelemetry, which does nothing as long as no SDK was started (`start-tracing.ts`). Work that nobody asked for, such
 * as looking for news every second, is no part of a trace: spans inside are made only where there is one outside.
 */
const TRACER = 'berth';

export interface SpanDescription {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
}

/** The beginning of a trace, or of our part of one. */
export function inSpan<T>(description: SpanDescription, run: (span: Span) => Promise<T>): Promise<T> {
  const { name, kind = SpanKind.INTERNAL, attributes = {} } = description;
  return trace.getTracer(TRACER).startActiveSpan(name, { kind, attributes }, async (span) => {
    try {
      return await run(span);
    } catch (error) {
      failed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** A step of what is traced already; runs as it is where nothing is. */
export function inInnerSpan<T>(description: () => SpanDescription, run: () => Promise<T>): Promise<T> {
  return trace.getActiveSpan()?.isRecording() ? inSpan(description(), run) : run();
}

export function startSpan(description: SpanDescription, parent = context.active()): Span {
  const { name, kind = SpanKind.INTERNAL, attributes = {} } = description;
  return trace.getTracer(TRACER).startSpan(name, { kind, attributes }, parent);
}

/** By its kind only: messages may hold what a person typed. */
function failed(span: Span, error: unknown): void {
  span.setAttribute('error.type', kindOf(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** What every line of a log says while something is traced. */
export function traceFields(): { traceId?: string; spanId?: string } {
  const span = trace.getActiveSpan();
  if (!span?.isRecording()) return {};
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId };
}
