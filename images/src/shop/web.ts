import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { html, text } from '../runtime/answer.ts';
import { createWebApp } from '../runtime/web-app.ts';
import { type ShopPage, shopPage } from './page.ts';

/** The page alone: what it shows comes from `/api` of the same host, which is another service. */
export function createWeb(options: ShopPage & { script: string }): Server {
  return createWebApp(({ method, path }) => {
    if (method !== 'GET') return text(405, 'the page is read only; orders go to /api');
    if (path === '/healthz') return text(200, 'ok');
    if (path === '/browser.js')
      return { status: 200, type: 'text/javascript; charset=utf-8', body: readFileSync(options.script) };
    return path === '/' ? { ...html(200, shopPage(options)), scripted: true } : text(404, 'the shop has one page: /');
  });
}
