import type { OpenApi, Operation, Parameter, Schema } from './openapi.ts';

/** The API for people: one page, no script, so that the browser's own search finds everything. */
export function documentationPage(document: OpenApi): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth API ${escapeHtml(document.info.version)}</title>
<link rel="stylesheet" href="/api/docs.css">
</head>
<body>
<a class="skip" href="#content">To the content</a>
<div class="layout">
<nav aria-label="Operations">
<strong>Berth API</strong>
${groups.map(navigation).join('\n')}
<h2>Reference</h2>
<ul><li><a href="#objects">Objects</a></li><li><a href="#errors">Errors</a></li></ul>
</nav>
<main id="content">
<h1>Berth API <span class="muted">${escapeHtml(document.info.version)}</span></h1>
${paragraphs(document.info.description)}
<p>For programs: <a href="/api/openapi.json">openapi.json</a> (OpenAPI 3.1). Find words with your browser's search.</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $BERTH_TOKEN" ${escapeHtml(document.servers[0]?.url ?? '')}/api/me</code></pre>
${groups.map(section).join('\n')}
<h2 class="tag" id="objects">Objects</h2>
${Object.entries(document.components.schemas).map(component).join('\n')}
<h2 class="tag" id="errors">Errors</h2>
<p>Every failed answer is an object <a href="#object-Problem">Problem</a> with one of these codes.</p>
${table(
  ['code', 'meaning'],
  Object.entries(document.components.responses).map(([code, response]) => [
    codeHtml(code),
    escapeHtml((response as { description: string }).description),
  ]),
)}
</main>
</div>
</body>
</html>
`;
}

interface Entry {
  path: string;
  method: string;
  operation: Operation;
}

interface Group {
  name: string;
  description: string;
  operations: Entry[];
}

function navigation({ name, operations }: Group): string {
  const links = operations.map(
    ({ operation }) => `<li><a href="#${operation.operationId}">${escapeHtml(operation.summary)}</a></li>`,
  );
  return `<h2>${escapeHtml(name)}</h2><ul>${links.join('')}</ul>`;
}

function section({ name, description, operations }: Group): string {
  return `<h2 class="tag">${escapeHtml(name)}</h2><p class="muted">${escapeHtml(description)}</p>${operations.map(card).join('\n')}`;
}

function card({ path, method, operation }: Entry): string {
  const body = operation.requestBody?.content['application/json'].schema;
  return `<section class="operation" id="${operation.operationId}" aria-labelledby="${operation.operationId}-title">
<h3 id="${operation.operationId}-title"><span class="method ${method}">${method}</span> <a href="#${operation.operationId}">${codeHtml(path)}</a></h3>
<p>${escapeHtml(operation.summary)}. <span class="muted">${inline(operation.description)}</span></p>
${parametersTable(operation.parameters)}
${body ? `<h4>Body</h4>${schemaHtml(body)}` : ''}
<h4>Answer</h4>${Object.entries(operation.responses).map(answer).join('')}
</section>`;
}

function parametersTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map((each) => [
    `${codeHtml(each.name)}${each.required ? ' *' : ''}`,
    each.in,
    typeHtml(each.schema),
    inline(each.description ?? ''),
  ]);
  return `<h4>Parameters</h4>${table(['name', 'in', 'type', 'meaning'], rows)}`;
}

function answer([status, response]: [string, object]): string {
  const { $ref, description, content } = response as {
    $ref?: string;
    description?: string;
    content?: Record<string, { schema: Schema }>;
  };
  if ($ref)
    return `<span class="muted">${codeHtml(status)} <a href="#errors">${escapeHtml($ref.split('/').at(-1) ?? '')}</a> </span>`;
  const schema = content?.['application/json']?.schema;
  const type = Object.keys(content ?? {})[0];
  const what = schema ? schemaHtml(schema) : escapeHtml(type === undefined ? 'no body' : type);
  return `<p>${codeHtml(status)} ${escapeHtml(description ?? '')}${schema ? '' : `: ${what}`}</p>${schema ? what : ''}`;
}

function component([name, schema]: [string, Schema]): string {
  return `<section class="operation" id="object-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3>${schemaHtml(schema)}</section>`;
}

function schemaHtml(schema: Schema): string {
  const properties = schema.properties as Record<string, Schema> | undefined;
  if (!properties) return `<p>${typeHtml(schema)}</p>`;
  const required = (schema.required ?? []) as string[];
  const rows = Object.entries(properties).map(([name, property]) => [
    `${codeHtml(name)}${required.includes(name) ? ' *' : ''}`,
    typeHtml(property),
    inline(typeof property.description === 'string' ? property.description : ''),
  ]);
  return table(['field (* required)', 'type', 'meaning'], rows);
}

function typeHtml(schema: Schema): string {
  if (typeof schema.$ref === 'string') {
    const name = escapeHtml(schema.$ref.split('/').at(-1) ?? '');
    return `<a href="#object-${name}">${name}</a>`;
  }
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => codeHtml(JSON.stringify(value))).join(' | ');
  if ('const' in schema) return codeHtml(JSON.stringify(schema.const));
  const alternatives = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (alternatives) return alternatives.map(typeHtml).join(' | ');
  if (schema.type === 'array') return `list of ${typeHtml((schema.items ?? {}) as Schema)}`;
  if (schema.properties) return `<details><summary>object</summary>${schemaHtml(schema)}</details>`;
  if (typeof schema.additionalProperties === 'object') {
    return `map of ${typeHtml(schema.additionalProperties as Schema)}`;
  }
  const bounds = ['format', 'minLength', 'maxLength', 'minimum', 'maximum']
    .filter((key) => schema[key] !== undefined && Math.abs(Number(schema[key])) !== Number.MAX_SAFE_INTEGER)
    .map((key) => `${key} ${String(schema[key])}`);
  return [
    escapeHtml(String(schema.type ?? 'any')),
    ...bounds.map((bound) => `<span class="muted">${escapeHtml(bound)}</span>`),
  ].join(', ');
}

function table(head: string[], rows: string[][]): string {
  const cells = (row: string[], tag: string) => row.map((cell) => `<${tag}>${cell}</${tag}>`).join('');
  return `<div class="fields" tabindex="0"><table><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${rows
    .map((row) => `<tr>${cells(row, 'td')}</tr>`)
    .join('')}</tbody></table></div>`;
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((each) => `<p>${inline(each)}</p>`)
    .join('\n');
}

/** Text with `code` in it. */
function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function codeHtml(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
