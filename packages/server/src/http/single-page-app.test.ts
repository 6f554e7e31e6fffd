import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';

describe('the pages', () => {
  let database: TestDatabase;
  let app: TestApp;
  let directory: string;
  const read = (url: string, accept = 'text/html') => app.as(undefined, { url, headers: { accept } });

  beforeAll(async () => {
    database = await createTestDatabase();
    directory = await mkdtemp(join(tmpdir(), 'berth-pages-'));
    app = await createTestApp({ database, settings: { webDirectory: join(directory, 'web') } });
  });
  afterAll(async () => {
    await app.close();
    await database.close();
    await rm(directory, { recursive: true });
  });

  it('say that they are not built, and are there as soon as they are', async () => {
    const missing = await read('/');
    expect([missing.statusCode, missing.body]).toEqual([503, expect.stringContaining('npm run build')]);
    await mkdir(join(directory, 'web', 'assets'), { recursive: true });
    await writeFile(join(directory, 'web', 'index.html'), '<!doctype html><title>Berth</title>');
    await writeFile(join(directory, 'web', 'assets', 'index-a1B2c3D4.js'), 'export {};');
    await writeFile(join(directory, 'web', 'favicon.svg'), '<svg/>');
    await writeFile(join(directory, 'secret.txt'), 'secret');
    expect((await read('/')).body).toContain('<title>Berth</title>');
  });

  it.each(['/', '/deployments/new', '/teams/x?y=z', '/index.html'])(
    'answer %s with the page, never from a cache',
    async (url) => {
      const answer = await read(url);
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.headers['cache-control']).toBe('no-cache');
      expect(answer.headers['content-security-policy']).toMatch(/script-src 'self';/);
    },
  );

  it('keep files with a hash in their name for ever, and others not', async () => {
    const hashed = await read('/assets/index-a1B2c3D4.js', '*/*');
    expect([hashed.statusCode, hashed.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(hashed.headers['content-type']).toMatch(/javascript/);
    expect((await read('/favicon.svg', 'image/*')).headers['cache-control']).toBe('no-cache');
  });

  it('answer HEAD with the head alone', async () => {
    const answer = await app.as(undefined, { method: 'HEAD', url: '/teams', headers: { accept: 'text/html' } });
    expect([answer.statusCode, answer.headers['content-type'], answer.body]).toEqual([
      200,
      'text/html; charset=utf-8',
      '',
    ]);
  });

  it('answer 404 for a file that is gone, instead of a page that is no script', async () => {
    expect((await read('/assets/index-00000000.js', '*/*')).statusCode).toBe(404);
    expect((await read('/data.json', 'application/json')).statusCode).toBe(404);
  });

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e%5csecret.txt',
    '//secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/%00',
  ])('let nobody out of their directory: %s', async (url) => {
    const answer = await read(url);
    expect(answer.body).not.toContain('secret');
    expect(answer.statusCode).toBeLessThan(500);
  });

  it('refuse other methods, hosts and origins', async () => {
    expect((await app.as(undefined, { method: 'POST', url: '/' })).statusCode).toBe(405);
    expect((await app.as(undefined, { url: '/', headers: { host: 'evil.test' } })).statusCode).toBe(421);
    expect((await app.as(undefined, { url: '/favicon.svg', headers: { origin: 'http://evil.test' } })).statusCode).toBe(
      403,
    );
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: 'text/html' };
    expect((await app.as(undefined, { url: '/', headers: link })).statusCode).toBe(200);
  });
});
