import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../testing.ts';
import { isFragment, prepareSite } from './prepare-site.ts';
import { createStaticServer } from './static.ts';

const directory = temporaryDirectory();
const [source, root] = [join(directory, 'source'), join(directory, 'site')];
let server: Server;
let url: string;

beforeAll(async () => {
  mkdirSync(join(source, 'docs'), { recursive: true });
  writeFileSync(join(directory, 'secret.txt'), 'not yours');
  writeFileSync(join(source, 'index.html'), '<h1>Welcome & hello</h1>');
  writeFileSync(join(source, 'style.css'), 'h1 { color: teal }');
  writeFileSync(join(source, '404.html'), '<!doctype html><title>Lost</title><p>Lost?');
  writeFileSync(join(source, 'empty.html'), '');
  writeFileSync(join(source, 'docs/index.html'), '<!-- a note --><html><body>Docs</body></html>');
  writeFileSync(join(source, 'data.json'), '{"a":1}');
  await prepareSite(source, root, 'Ours & <yours>');
  server = createStaticServer(root);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

/** As written: `fetch` would resolve the dots by itself. */
function raw(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    socket.once('error', reject).once('close', () => resolve(answer));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`);
  });
}

describe('a static site', () => {
  it('puts a title and the style around a page that is only content', async () => {
    const answer = await fetch(url);
    const page = await answer.text();
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page).toContain('<title>Ours &amp; &lt;yours&gt;</title>');
    expect(page).toContain('<link rel="stylesheet" href="/style.css">');
    expect(page).toContain('<h1>Welcome & hello</h1>');
  });

  it('leaves whole documents alone', async () => {
    expect(await (await fetch(`${url}/docs/`)).text()).toBe('<!-- a note --><html><body>Docs</body></html>');
    expect(['<!DOCTYPE html>', ' <html lang="en">', '<!-- x --><html>'].map(isFragment)).toEqual([false, false, false]);
  });

  it('knows types, sends folders to their slash and answers HEAD', async () => {
    expect((await fetch(`${url}/style.css`)).headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect((await fetch(`${url}/data.json`)).headers.get('content-type')).toMatch(/^application\/json/);
    const redirect = await fetch(`${url}/docs`, { redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([301, '/docs/']);
    const head = await fetch(`${url}/style.css`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '18', '']);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  });

  it('answers what is unchanged with 304 and a range with a part', async () => {
    const first = await fetch(`${url}/style.css`);
    const again = await fetch(`${url}/style.css`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
    });
    expect(again.status).toBe(304);
    const part = await fetch(`${url}/style.css`, { headers: { range: 'bytes=0-1' } });
    expect([part.status, await part.text()]).toEqual([206, 'h1']);
    expect((await fetch(`${url}/style.css`, { headers: { range: 'bytes=900-' } })).status).toBe(416);
  });

  it('has its own page for what is missing', async () => {
    for (const path of ['/nothing', '/empty.html', '/.env']) {
      const answer = await fetch(`${url}${path}`, { headers: { range: 'bytes=0-3' } });
      expect([answer.status, await answer.text()]).toEqual([404, '<!doctype html><title>Lost</title><p>Lost?']);
    }
  });

  it.each(['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/docs/..%5c..%5csecret.txt', '/%00', '/%'])(
    'never leaves its folder: %s',
    async (path) => {
      const answer = await raw(path);
      expect(answer).not.toContain('not yours');
      expect(answer).toMatch(/^HTTP\/1\.1 40[034]/);
    },
  );
});
