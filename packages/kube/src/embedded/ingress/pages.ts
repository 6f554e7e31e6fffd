import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * - `not-found`: no Ingress has this host or path
 * - `unavailable`: it is known, but no pod is ready, or none answered
 * - `starting`: what should answer is on its way up: a static upstream, or the router itself
 */
export type PageKind = 'not-found' | 'unavailable' | 'starting';

export interface PageRequest {
  host: string;
  path: string;
}

export interface Page {
  status: number;
  html: string;
}

export type Pages = (kind: PageKind, request: PageRequest) => Page;

export const RELOAD_AFTER_SECONDS = 2;

const TEXTS: Record<PageKind, { status: number; title: string; say: (host: string) => string }> = {
  'not-found': {
    status: 404,
    title: 'Nothing here',
    say: (host) => `No app answers at ${host}. Check the address, or deploy an app with this host.`,
  },
  unavailable: {
    status: 503,
    title: 'Not ready yet',
    say: (host) => `The app at ${host} has no ready instance at the moment. This page tries again by itself.`,
  },
  starting: {
    status: 503,
    title: 'Starting',
    say: (host) => `${host} is starting. This page tries again by itself.`,
  },
};

export const defaultPages: Pages = (kind, { host }) => {
  const { status, title, say } = TEXTS[kind];
  const reload = status === 503 ? `<meta http-equiv="refresh" content="${RELOAD_AFTER_SECONDS}">` : '';
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${reload}
<title>${title}</title>
<style>
:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto 0;padding:0 1.5rem}
h1{font-size:1.4rem}
</style></head>
<body><h1>${title}</h1><p>${escapeHtml(say(host))}</p></body></html>
`;
  return { status, html };
};

/** Answers with a page: HTML for browsers, a line of text for everyone else. */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  page: Page & { kind: PageKind; host: string },
): void {
  const browser = /\btext\/html\b/.test(request.headers.accept ?? '');
  const body = browser ? page.html : `${TEXTS[page.kind].title}: ${TEXTS[page.kind].say(page.host)}\n`;
  const headers: Record<string, string> = {
    'content-type': `text/${browser ? 'html' : 'plain'}; charset=utf-8`,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
    ...(page.status === 503 && { 'retry-after': String(RELOAD_AFTER_SECONDS) }),
  };
  response.writeHead(page.status, headers);
  response.end(request.method === 'HEAD' ? '' : body);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
