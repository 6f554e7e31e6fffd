import { KubeError } from '../../../schema/status.ts';
import { badRequest, banned, invalid, wrong } from '../errors.ts';
import { at } from '../kinds/define.ts';
import type { LogRequest } from '../node-agent.ts';
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
  const selection = selectionOf(info.query);
  const stop = new AbortController();
  reply.response.once('close', () => stop.abort());
  const chunks = agent.logs({
    namespace: path.namespace,
    pod: path.name,
    container,
    follow: isTrue(info.query.get('follow')),
    previous: isTrue(info.query.get('previous')),
    timestamps: isTrue(info.query.get('timestamps')),
    ...selection,
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

type LogSelection = Pick<LogRequest, 'tailLines' | 'sinceSeconds' | 'limitBytes' | 'sinceTime'>;

/** As a real server checks `PodLogOptions`. */
function selectionOf(query: URLSearchParams): LogSelection {
  const numbers = Object.entries(LEAST).flatMap(([name, least]) => {
    const text = query.get(name);
    return text === null || text === '' ? [] : [{ name, value: wholeNumber(name, text), least }];
  });
  const errors = numbers
    .filter(({ value, least }) => value < least)
    .map(({ name, value, least }) =>
      wrong(name, value, least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0'),
    );
  const sinceTime = query.get('sinceTime') || undefined;
  if (sinceTime !== undefined && Number.isNaN(Date.parse(sinceTime)))
    throw badRequest(`sinceTime: ${JSON.stringify(sinceTime)} is not a time such as 2026-01-31T12:00:00Z`);
  if (sinceTime !== undefined && numbers.some(({ name }) => name === 'sinceSeconds'))
    errors.push(banned('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, '', errors);
  return { ...Object.fromEntries(numbers.map(({ name, value }) => [name, value])), ...(sinceTime && { sinceTime }) };
}

const LEAST: Record<string, number> = { tailLines: 0, sinceSeconds: 1, limitBytes: 1 };

function wholeNumber(name: string, text: string): number {
  if (/^-?\d{1,12}$/.test(text)) return Number(text);
  throw badRequest(`${name}: Invalid value: ${JSON.stringify(text)}: must be a whole number`);
}
