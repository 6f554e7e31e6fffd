/** What a program answers to a request, before it is written. */
export interface Answer {
  status: number;
  /** With `; charset=utf-8` when it is text. */
  type?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** The page runs the script and makes the requests of its own origin. */
  scripted?: boolean;
}

export function text(status: number, body: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body: body.endsWith('\n') ? body : `${body}\n` };
}

export function json(status: number, value: unknown): Answer {
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(value)}\n` };
}

export function html(status: number, body: string): Answer {
  return { status, type: 'text/html; charset=utf-8', body };
}

export function seeOther(location: string): Answer {
  return { status: 303, headers: { location } };
}

const STRICT = "default-src 'none'; style-src 'unsafe-inline'";
const SCRIPTED =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:";
const ALWAYS = "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

export function headersOf(answer: Answer): Record<string, string> {
  return {
    ...(answer.type ? { 'content-type': answer.type } : {}),
    'content-length': String(Buffer.byteLength(answer.body ?? '')),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'content-security-policy': `${answer.scripted ? SCRIPTED : STRICT}; ${ALWAYS}`,
    ...answer.headers,
  };
}
