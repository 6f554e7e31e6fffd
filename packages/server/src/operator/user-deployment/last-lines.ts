import { stripVTControlCharacters } from 'node:util';
import type { KubeClient } from '@berth/kube/client/client';
import { SECRET } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import type { Secret } from '../kinds.ts';
import { redact } from './redact.ts';

export interface LogSource {
  namespace: string;
  pod: string;
  container: string;
  /** Of the life before: the program has ended since. */
  previous: boolean;
  /** Name of the Secret whose values may stand in the log. */
  secret: string;
}

const LINES = 20;
const LONGEST_LINE = 1000;
/** Lines may be of any length: only the end of what comes is kept. */
const MOST_BYTES = 256 * 1024;
const WITHIN_MS = 5_000;

/**
 * The last lines that a container wrote, without escape sequences and without values of its secrets. Nothing when they cannot be
 * had, or when it is not known which values to take out: an update is stopped with them or without.
 */
export async function lastLines(
  client: Pick<KubeClient, 'raw' | 'get'>,
  source: LogSource,
  signal: AbortSignal,
): Promise<string[]> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  try {
    const [text, values] = await Promise.all([readEnd(client, source, within), secretValues(client, source, within)]);
    const lines = stripVTControlCharacters(text).split(/\r\n|\r|\n/);
    // Before the cut, so that no value survives in part.
    return redact(lines, values)
      .map((line) => line.replace(/[\p{Cc}\p{Cs}]/gu, ' ').trimEnd())
      .filter((line) => line !== '')
      .slice(-LINES)
      .map((line) => line.slice(0, LONGEST_LINE).toWellFormed());
  } catch (error) {
    if (signal.aborted) throw error;
    return [];
  }
}

async function readEnd(client: Pick<KubeClient, 'raw'>, source: LogSource, signal: AbortSignal): Promise<string> {
  const { namespace, pod, container, previous } = source;
  const query = new URLSearchParams({ container, tailLines: String(LINES) });
  if (previous) query.set('previous', 'true');
  const answer = await client.raw('GET', `/api/v1/namespaces/${namespace}/pods/${pod}/log?${query}`, { signal });
  if (answer.status !== 200) {
    await answer.text();
    return '';
  }
  let end = Buffer.alloc(0);
  for await (const chunk of answer.body) end = Buffer.concat([end, chunk]).subarray(-MOST_BYTES);
  return end.toString();
}

async function secretValues(
  client: Pick<KubeClient, 'get'>,
  { namespace, secret }: LogSource,
  signal: AbortSignal,
): Promise<string[]> {
  try {
    const { data = {} } = await client.get<Secret>(SECRET, { name: secret, namespace }, { signal });
    return Object.values(data).map((value) => Buffer.from(value, 'base64').toString());
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return [];
    throw error;
  }
}
