import { ROUTES } from '@berth/core/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import type { OpenApi } from './openapi.ts';

describe('the API tells about itself', () => {
  let database: TestDatabase;
  let app: TestApp;
  let document: OpenApi;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await createTestApp({ database });
    document = (await app.as(undefined, { url: '/api/openapi.json' })).json();
  });
  afterAll(async () => {
    await app.close();
    await database.close();
  });

  it('names every route of the contract, once, under one heading', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(ROUTES).sort());
    expect(operations.filter(({ tags }) => tags.length !== 1)).toEqual([]);
  });

  it('refers to nothing that is not there', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(references.length).toBeGreaterThan(50);
    for (const reference of new Set(references)) {
      const found = reference
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((place, key) => (place as Record<string, unknown> | undefined)?.[key], document);
      expect(found, reference).toBeDefined();
    }
  });

  it('declares every parameter that is in a path', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const operation of Object.values(methods)) {
        const declared = operation.parameters.filter((each) => each.in === 'path').map(({ name }) => name);
        expect(declared, path).toEqual(wanted);
      }
    }
  });

  it('has a page for people, without a script, in which every link leads somewhere', async () => {
    const page = await app.as(undefined, { url: '/api/docs' });
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.body).not.toMatch(/<script|style="| on\w+=|https?:\/\/(?!berth\.test)/);
    const ids = new Set([...page.body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, target] of page.body.matchAll(/href="#([^"]+)"/g)) expect(ids, target).toContain(target);
    for (const name of Object.keys(ROUTES)) expect(ids).toContain(name);
    expect((await app.as(undefined, { url: '/api/docs.css' })).headers['content-type']).toMatch(/^text\/css/);
  });
});
