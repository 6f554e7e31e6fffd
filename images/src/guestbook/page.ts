import { escapeHtml } from '../runtime/escape-html.ts';
import { pageStyle } from '../runtime/page-style.ts';
import { type Entry, type EntryInput, LIMITS } from './entry.ts';
import { THEMES, type Theme } from './theme.ts';

export interface PageContent {
  title: string;
  theme: Theme;
  entries: Entry[];
  problem?: string;
  draft?: Partial<EntryInput>;
}

export function guestbookPage(content: PageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(content.title)}</title>
<style>${pageStyle(THEMES[content.theme])}${STYLE}</style>
</head>
<body>
<main>
<header><h1>${escapeHtml(content.title)}</h1><p class="muted">${summary(content.entries.length)}</p></header>
${form(content)}
<section aria-labelledby="entries"><h2 id="entries" class="hidden">Entries</h2>
${content.entries.length > 0 ? `<ol>${content.entries.map(item).join('')}</ol>` : EMPTY}
</section>
</main>
</body>
</html>
`;
}

const STYLE = `
header { border-left: .3rem solid var(--accent); padding-left: 1rem; } header p { margin: 0; }
form { display: grid; gap: 1rem; }
ol { list-style: none; margin: 0; padding: 0; } .who { display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; }
.who strong { color: var(--accent); overflow-wrap: anywhere; } time { font-size: .85rem; color: var(--muted); }
.message { margin: .35rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.empty { text-align: center; padding: 2.5rem 1rem; }`;

const EMPTY = '<p class="card empty muted">Nobody has written yet. Be the first.</p>';

function summary(count: number): string {
  if (count === 0) return 'A fresh book.';
  return count === 1 ? 'One entry so far.' : `The latest ${count} entries.`;
}

function form(content: PageContent): string {
  const author = escapeHtml(content.draft?.author ?? '');
  const message = escapeHtml(content.draft?.message ?? '');
  const problem = content.problem
    ? `<p class="problem" role="alert" id="problem">${escapeHtml(content.problem)}</p>`
    : '';
  const described = content.problem ? ' aria-invalid="true" aria-describedby="problem"' : '';
  return `<form class="card" method="post" action="/entries">
${problem}<label>Your name<input name="author" maxlength="${LIMITS.author}" autocomplete="name" placeholder="Anonymous" value="${author}"></label>
<label>Your message<textarea name="message" maxlength="${LIMITS.message}" required${described}>${message}</textarea></label>
<button type="submit">Sign the book</button>
</form>`;
}

function item(entry: Entry): string {
  const when = `${entry.createdAt.slice(0, 16).replace('T', ' ')} UTC`;
  return `<li class="card"><div class="who"><strong>${escapeHtml(entry.author)}</strong><time datetime="${entry.createdAt}">${when}</time></div>
<p class="message">${escapeHtml(entry.message)}</p></li>`;
}
