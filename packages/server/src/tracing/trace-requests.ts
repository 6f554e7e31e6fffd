import { type Context, context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { isHealthPath } from '../http/health.ts';
import type { Trust } from '../http/trusted-proxies.ts';
import { startSpan } from './spans.ts';

/** One span for each request, as a part of the trace that a proxy which we trust began. Probes are none. */
export function traceRequests(app: FastifyInstance, trust: Trust): void {
  const contexts = new WeakMap<object, Context>();

  app.addHook('onRequest', (request, reply, done) => {
    if (isHealthPath(request.url)) return done();
    const believed = trust(request.socket.remoteAddress ?? '');
    const parent = believed ? propagation.extract(ROOT_CONTEXT, request.headers) : ROOT_CONTEXT;
    const route = request.routeOptions.config.route?.definition.path;
    const name = route === undefined ? request.method : `${request.method} ${route}`;
    const attributes = {
      'http.request.method': request.method,
      'url.path': request.url.split('?')[0],
      'client.address': request.ip,
      'berth.request.id': request.id,
      ...(route !== undefined && { 'http.route': route }),
    };
    const span = startSpan({ name, kind: SpanKind.SERVER, attributes }, parent);
    if (!span.isRecording()) return done();
    // Also of a client that goes away before it was answered.
    reply.raw.once('close', () => {
      span.setAttribute('http.response.status_code', reply.raw.statusCode);
      const { actor } = request.state;
      if (actor) span.setAttribute('enduser.id', actor.userId);
      if (reply.raw.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    const traced = trace.setSpan(parent, span);
    contexts.set(request, traced);
    context.with(traced, done);
  });

  // A body arrives in events of its connection, outside of what was begun above.
  app.addHook('preValidation', (request, _reply, done) => {
    const traced = contexts.get(request);
    if (traced) context.with(traced, done);
    else done();
  });
}
