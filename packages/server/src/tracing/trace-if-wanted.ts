import type { Tracing, TracingOptions } from './start-tracing.ts';

export interface TraceSettings {
  traceEndpoint: string | undefined;
  traceService: string | undefined;
  traceHeaders: Readonly<Record<string, string>>;
}

/** Loads and starts the SDK where a collector is named, and nothing anywhere else. */
export async function traceIfWanted(
  { traceEndpoint, traceService, traceHeaders }: TraceSettings,
  process: Pick<TracingOptions, 'service' | 'version' | 'instance' | 'log'>,
): Promise<Tracing | undefined> {
  if (traceEndpoint === undefined) return undefined;
  const { startTracing } = await import('./start-tracing.ts');
  return startTracing({
    ...process,
    endpoint: traceEndpoint,
    service: traceService ?? process.service,
    headers: traceHeaders,
  });
}
