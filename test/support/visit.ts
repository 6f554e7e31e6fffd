import { type IncomingHttpHeaders, request as requestPlain } from 'node:http';
import { request as requestOverTls } from 'node:https';

export interface Asking {
  method?: string;
  /** Sent as JSON; a text as a form. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent as Basic. */
  password?: string;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json<T = Record<string, unknown>>(): T;
}

const TIMEOUT_MS = 15_000;

/** One request as a visitor makes it; whoever answers over TLS must prove who they are. Any status is an answer. */
export function visit(url: string | URL, asking: Asking = {}): Promise<Reply> {
  const { method = 'GET', body, password } = asking;
  const isForm = typeof body === 'string';
  const sent = body === undefined ? undefined : isForm ? body : JSON.stringify(body);
  const headers = {
    ...(sent !== undefined && {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      'content-length': String(Buffer.byteLength(sent)),
    }),
    ...(password !== undefined && { authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}` }),
    ...asking.headers,
  };
  const request = new URL(url).protocol === 'https:' ? requestOverTls : requestPlain;
  return new Promise((resolve, reject) => {
    const going = request(url, { method, headers, timeout: TIMEOUT_MS }, async (response) => {
      try {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: () => JSON.parse(text) });
      } catch (error) {
        reject(error);
      }
    });
    going.on('error', reject).on('timeout', () => going.destroy(new Error(`no answer from ${url} in time`)));
    going.end(sent);
  });
}
