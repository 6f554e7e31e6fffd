import type { FastifyInstance } from 'fastify';
import { documentationPage } from './documentation-page.ts';
import { DOCUMENTATION_STYLE } from './documentation-style.ts';
import { buildOpenApi } from './openapi.ts';

/** `/api/openapi.json` for programs and `/api/docs` for people. */
export function mountDocumentation(app: FastifyInstance, about: { version: string; publicUrl: string }): void {
  const document = buildOpenApi(about);
  const json = JSON.stringify(document, undefined, 2);
  const page = documentationPage(document);
  app.get('/api/openapi.json', async (_request, reply) => reply.type('application/json').send(json));
  app.get('/api/docs', async (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
  app.get('/api/docs.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(DOCUMENTATION_STYLE));
}
