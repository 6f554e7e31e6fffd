import { CSRF_HEADER, IDEMPOTENCY_HEADER, ROUTES } from '@berth/core/api';
import { ERROR_CODES, type ErrorCode, problemSchema } from '@berth/core/errors';
import type { Route } from '@berth/core/route';
import { z } from 'zod';

/** OpenAPI 3.1 made from the contract, never written: what it says is what is parsed. */
export interface OpenApi {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: object; responses: Record<string, object> };
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: object[];
  parameters: Parameter[];
  requestBody?: { required: true; content: { 'application/json': { schema: Schema } } };
  responses: Record<string, object>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

export type Schema = Record<string, unknown>;

const DESCRIPTION = `Everything that the pages and the command line do, they do through this API.

Sign in with \`Authorization: Bearer berth_...\` and an API token (make one under "API tokens", or with \`berth login\`), or with the
login cookie of the pages. A change that is not sent with a token needs the header \`${CSRF_HEADER}: 1\`.

Errors are problem details (RFC 9457) with a stable \`code\`. What you may not see answers exactly like what is not there: 404.`;

const TAGS: [tag: string, prefix: RegExp, description: string][] = [
  ['Sign-in', /^\/api\/(config|log|me\b)/, 'Logins, and who you are'],
  ['API tokens', /^\/api\/tokens/, 'For programs'],
  ['Organizations', /^\/api\/organizations/, 'Who pays'],
  ['Teams', /^\/api\/teams/, 'Who works together'],
  ['Templates', /^\/api\/templates/, 'The catalogue'],
  ['Deployments', /^\/api\/deployments/, 'What runs'],
  ['Activity', /^\/api\/(activity|events|audit|live|metrics|health)/, 'What happened, and what happens now'],
];

export function buildOpenApi({ version, publicUrl }: { version: string; publicUrl: string }): OpenApi {
  const schemas: Record<string, Schema> = {};
  const paths: OpenApi['paths'] = {};
  for (const [name, route] of Object.entries(ROUTES) as [string, Route][]) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route, schemas) };
  }
  const problem = convert(problemSchema, 'output', schemas);
  return {
    openapi: '3.1.0',
    info: { title: 'Berth', version, description: DESCRIPTION },
    servers: [{ url: publicUrl }],
    tags: TAGS.map(([name, , description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token: berth_...' },
        login: { type: 'apiKey', in: 'cookie', name: 'berth_login', description: 'A login of the pages' },
      },
      responses: Object.fromEntries(
        Object.entries(ERROR_CODES).map(([code, { title }]) => [
          code,
          { description: title, content: { 'application/problem+json': { schema: problem } } },
        ]),
      ),
    },
  };
}

function operation(name: string, route: Route, schemas: Record<string, Schema>): Operation {
  const isPublic = route.permission === 'public';
  return {
    operationId: name,
    summary: route.summary,
    description: isPublic ? 'Nobody needs to be signed in.' : `Needs the permission \`${route.permission}\`.`,
    tags: TAGS.filter(([, prefix]) => prefix.test(route.path)).map(([tag]) => tag),
    security: isPublic ? [] : [{ token: [] }, { login: [] }],
    parameters: [
      ...parametersOf(route.params, 'path', schemas),
      ...parametersOf(route.query, 'query', schemas),
      ...headersOf(name, route),
    ],
    ...(route.body && {
      requestBody: {
        required: true as const,
        content: { 'application/json': { schema: convert(route.body, 'input', schemas) } },
      },
    }),
    responses: { ...success(route, schemas), ...failures(route) },
  };
}

function success(route: Route, schemas: Record<string, Schema>): Record<string, object> {
  const status = String(route.status ?? 200);
  if (route.output === undefined) return { [status]: { description: 'Done' } };
  if (route.output === 'socket') return { '101': { description: 'A WebSocket' } };
  if (route.output === 'stream') {
    return {
      [status]: { description: 'Server-Sent Events', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    };
  }
  const schema = convert(route.output, 'output', schemas);
  return { [status]: { description: 'Done', content: { 'application/json': { schema } } } };
}

function failures(route: Route): Record<string, object> {
  const takesInput = route.body || route.query || route.params;
  const codes: ErrorCode[] = [
    ...(takesInput ? (['invalid_input'] as const) : []),
    ...(route.permission === 'public' ? [] : (['unauthenticated'] as const)),
    ...(route.scope === 'none' || route.scope === 'self' ? [] : (['forbidden'] as const)),
    ...(route.params || route.scope === 'team' ? (['not_found'] as const) : []),
    ...(route.body ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    'internal',
    'unavailable',
  ];
  return Object.fromEntries(
    codes.map((code) => [String(ERROR_CODES[code].status), { $ref: `#/components/responses/${code}` }]),
  );
}

function headersOf(name: string, route: Route): Parameter[] {
  if (route.method === 'GET') return [];
  const csrf: Parameter = {
    name: CSRF_HEADER,
    in: 'header',
    required: false,
    description: 'Required without an API token.',
    schema: { const: '1' },
  };
  const idempotency: Parameter = {
    name: IDEMPOTENCY_HEADER,
    in: 'header',
    required: false,
    description: 'Any text of yours: the same key again gives the first answer again, and does nothing.',
    schema: { type: 'string' },
  };
  return name.endsWith('Deployment') && name !== 'previewDeployment' ? [csrf, idempotency] : [csrf];
}

function parametersOf(
  schema: z.ZodType | undefined,
  place: 'path' | 'query',
  schemas: Record<string, Schema>,
): Parameter[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = convert(schema, 'output', schemas) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(typeof description === 'string' && { description }),
    schema: rest,
  }));
}

/** Schemas with a name become components; where they are used there is a reference. */
function convert(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, Schema>): Schema {
  // A schema with a name is given as a reference only inside another one.
  const { $defs, properties } = z.toJSONSchema(z.object({ root: schema }), {
    io,
    unrepresentable: 'any',
  }) as unknown as {
    $defs?: Record<string, Schema>;
    properties: { root: Schema };
  };
  for (const [name, definition] of Object.entries($defs ?? {})) schemas[name] ??= withComponentReferences(definition);
  return withComponentReferences(properties.root);
}

function withComponentReferences(schema: Schema): Schema {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  );
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as Schema;
}
