import { KubeError } from '@berth/kube/schema/status';
import { SpanKind } from '@opentelemetry/api';
import { Counter, Histogram, type Registry } from 'prom-client';
import { inInnerSpan } from '../tracing/spans.ts';
import type { ObservedRequest, ObserveRequest } from './observed-client.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const METHODS: Record<ObservedRequest['verb'], string> = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  replace: 'PUT',
  patch: 'PATCH',
  apply: 'PATCH',
  delete: 'DELETE',
};

/** Counts requests to the API server under the names of Kubernetes' own clients, and makes them steps of what is traced. */
export function observeRequests(registry: Registry): ObserveRequest {
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the Kubernetes API by method and status; watches apart.',
    labelNames: ['method', 'code'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Time that the Kubernetes API took to answer; watches apart.',
    labelNames: ['verb'],
    buckets: SECONDS,
    registers: [registry],
  });
  return async (request, run) => {
    const method = METHODS[request.verb];
    const end = seconds.startTimer({ verb: method });
    let code = request.verb === 'create' ? '201' : '200';
    try {
      return await inInnerSpan(() => describe(request), run);
    } catch (error) {
      code = error instanceof KubeError ? String(error.code) : 'error';
      throw error;
    } finally {
      end();
      requests.inc({ method, code });
    }
  };
}

function describe({ verb, resource, subresource, namespace, name }: ObservedRequest) {
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  return {
    name: `${verb} ${what}`,
    kind: SpanKind.CLIENT,
    attributes: {
      'k8s.resource': what,
      ...(namespace !== undefined && { 'k8s.namespace.name': namespace }),
      ...(name !== undefined && { 'k8s.object.name': name }),
    },
  };
}
