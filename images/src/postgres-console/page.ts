import { escapeHtml } from '../runtime/escape-html.ts';
import { pageStyle } from '../runtime/page-style.ts';
import type { Overview, QueryResult } from './database.ts';

export interface Connection {
  host: string;
  port: number;
  user: string;
  database: string;
}

export interface Asked {
  sql: string;
  database: string | undefined;
  result?: QueryResult;
  problem?: string;
}

export function consolePage(content: { overview: Overview; connection: Connection; asked?: Asked }): string {
  const { overview, connection, asked } = content;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>PostgreSQL: ${escapeHtml(connection.database)}</title>
<style>${pageStyle({ light: '#1f5f8b', dark: '#8cc4ea' })}
main { max-width: 60rem; } .top { display: flex; justify-content: space-between; align-items: start; gap: 1rem; }
dl { display: grid; grid-template-columns: minmax(6rem, 10rem) 1fr; gap: .35rem 1rem; margin: 0; } dt { color: var(--muted); }
dd { margin: 0; } dl + p { margin: .75rem 0 0; } h2 { font-size: 1rem; margin: 0 0 .75rem; } form.card { display: grid; gap: 1rem; }
textarea { font: .9rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; } td { font-variant-numeric: tabular-nums; }
td.null { color: var(--muted); } .run { display: flex; gap: 1rem; align-items: end; } .run label { flex: 1; }
</style>
</head>
<body>
<main>
<div class="top"><h1>PostgreSQL ${escapeHtml(overview.version)}</h1>
<form method="post" action="/sign-out"><button class="plain">Sign out</button></form></div>
<p class="muted">Up since ${overview.startedAt.slice(0, 16).replace('T', ' ')} UTC, ${overview.connections} of
${overview.maxConnections} connections in use.</p>
${queryForm(overview, connection, asked)}
${asked?.result ? resultCard(asked.result) : ''}
<section class="card"><h2>Databases</h2><table><thead><tr><th>Name<th>Size</thead><tbody>
${overview.databases.map(({ name, bytes }) => `<tr><td>${escapeHtml(name)}<td>${size(bytes)}`).join('')}</tbody></table></section>
<section class="card"><h2>How other services reach it</h2><dl>
<dt>Host<dd><code>${escapeHtml(connection.host)}</code><dt>Port<dd><code>${connection.port}</code>
<dt>User<dd><code>${escapeHtml(connection.user)}</code><dt>Database<dd><code>${escapeHtml(connection.database)}</code>
<dt>Address<dd><code>${escapeHtml(addressOf(connection))}</code></dl>
<p class="muted">The password is the one that you signed in with.</p></section>
</main>
</body>
</html>
`;
}

/** Without the password, which clients take from PGPASSWORD. */
export function addressOf({ host, port, user, database }: Connection): string {
  return `postgresql://${encodeURIComponent(user)}@${host}:${port}/${encodeURIComponent(database)}`;
}

function queryForm(overview: Overview, connection: Connection, asked?: Asked): string {
  const chosen = asked?.database ?? connection.database;
  const options = overview.databases.map(({ name }) => {
    const selected = name === chosen ? ' selected' : '';
    return `<option${selected}>${escapeHtml(name)}</option>`;
  });
  const problem = asked?.problem ? `<p class="problem" role="alert">${escapeHtml(asked.problem)}</p>` : '';
  const sql = escapeHtml(asked?.sql ?? 'SELECT now()');
  return `<form class="card" method="post" action="/">
<label>Statement<textarea name="sql" rows="6" spellcheck="false" required>
${sql}</textarea></label>${problem}
<div class="run"><label>Database<select name="database">${options.join('')}</select></label><button type="submit">Run</button></div>
</form>`;
}

function resultCard(result: QueryResult): string {
  const { command, columns, rows, rowCount, truncated, milliseconds } = result;
  const summary = `${escapeHtml(command)}, ${rowCount} ${rowCount === 1 ? 'row' : 'rows'}, ${milliseconds} ms`;
  const more = truncated ? `, the first ${rows.length} shown` : '';
  const head = columns.map((column) => `<th>${escapeHtml(column)}`).join('');
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}`).join('\n');
  const table =
    columns.length > 0
      ? `<div class="scroll"><table><thead><tr>${head}</thead><tbody>${body}</tbody></table></div>`
      : '';
  return `<section class="card" aria-live="polite"><h2>${summary}${more}</h2>${table}</section>`;
}

function cell(value: string | null): string {
  return value === null ? '<td class="null">null' : `<td>${escapeHtml(value)}`;
}

function size(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
