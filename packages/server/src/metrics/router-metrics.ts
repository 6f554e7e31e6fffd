/** Asks the router for its counters: Prometheus text. */
export type ReadRouterMetrics = (signal: AbortSignal) => Promise<string>;

const TIMEOUT_MS = 3_000;

export function routerMetricsAt(url: string): ReadRouterMetrics {
  return async (signal) => {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
    if (!response.ok) throw new Error(`the router answered ${response.status} when asked for its metrics`);
    return response.text();
  };
}
