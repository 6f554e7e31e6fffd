import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Logger } from '../logger.ts';

export interface TracingOptions {
  /** Of the collector, without `/v1/traces`. */
  endpoint: string;
  service: string;
  version: string;
  /** Which of several that run the same. */
  instance: string;
  headers: Readonly<Record<string, string>>;
  log: Pick<Logger, 'warn'>;
}

export interface Tracing {
  /** What is not sent yet is, if the collector takes it soon. */
  stop(): Promise<void>;
}

const SAID_AGAIN_MS = 60_000;
const LAST_SENDING_MS = 3_000;

/** Loaded only where a collector is named. How much is sampled is read by the SDK from OTEL_TRACES_SAMPLER; all is when that is absent. */
export function startTracing(options: TracingOptions): Tracing {
  sayFailures(options.log);
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: { ...options.headers },
  });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'berth',
      'service.name': options.service,
      'service.version': options.version,
      'service.instance.id': options.instance,
    }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  return {
    async stop() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_SENDING_MS).unref());
      await Promise.race([provider.shutdown(), late]).catch((error: unknown) =>
        options.log.warn({ err: error }, 'the last traces could not be sent'),
      );
    },
  };
}

/** A collector that is away is no reason to fill the log. */
function sayFailures(log: Pick<Logger, 'warn'>): void {
  let saidAt = Number.NEGATIVE_INFINITY;
  const silent = () => undefined;
  const error = (problem: string) => {
    if (performance.now() - saidAt < SAID_AGAIN_MS) return;
    saidAt = performance.now();
    log.warn({ problem: problem.slice(0, 500) }, 'traces could not be sent');
  };
  diag.setLogger(
    { error, warn: silent, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}
