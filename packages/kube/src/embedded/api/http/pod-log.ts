import { KubeError } from '../../../schema/status.ts';
import { badRequest } from '../errors.ts';
import { at } from '../kinds/define.ts';
import { getObject } from '../rules/list.ts';
import { containerOf } from './pod-target.ts';
import { isTrue } from './request-info.ts';
import { type ResourceCall, ruleRequest } from './resource-call.ts';

/** `kubectl logs`: the node gives them, this passes them on, at the reader's pace. */
export async function handlePodLog(call: ResourceCall): Promise<void> {
  const { path, info, reply } = call;
  const { object } = getObject(call.rules, ruleRequest(call), path.name);
  const container = containerOf(object, info.query.get('container') ?? '');
  const agent = call.nodeAgent();
  if (!agent) throw new KubeError(503, 'ServiceUnavailable', 'no node is running that could give logs');
  if (!at(object, 'spec', 'nodeName')) return finish(reply.response);
  const stop = new AbortController();
  reply.response.once('close', () => stop.abort());
  const number = (name: string) => numberOf(info.query, name);
  const chunks = agent.logs({
    namespace: path.namespace,
    pod: path.name,
    container,
    follow: isTrue(info.query.get('follow')),
    previous: isTrue(info.query.get('previous')),
    timestamps: isTrue(info.query.get('timestamps')),
    ...number('tailLines'),
    ...number('sinceSeconds'),
    ...number('limitBytes'),
    ...(info.query.get('sinceTime') && { sinceTime: info.query.get('sinceTime')! }),
    signal: stop.signal,
  });
  for await (const chunk of chunks) {
    if (!reply.response.headersSent) start(reply.response);
    if (!reply.response.write(chunk)) await drained(reply.response, stop.signal);
    if (stop.signal.aborted) return;
  }
  finish(reply.response);
}

type Response = ResourceCall['reply']['response'];

function start(response: Response): void {
  response.writeHead(200, { 'content-type': 'text/plain' });
}

function finish(response: Response): void {
  if (!response.headersSent) start(response);
  response.end();
}

function drained(response: Response, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function numberOf(query: URLSearchParams, name: string): Record<string, number> {
  const text = query.get(name);
  if (text === null) return {};
  if (!/^\d{1,12}$/.test(text))
    throw badRequest(`${name}: Invalid value: ${JSON.stringify(text)}: must be a whole number`);
  return { [name]: Number(text) };
}
