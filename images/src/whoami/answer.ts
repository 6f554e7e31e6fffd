import { escapeHtml } from '../runtime/escape-html.ts';
import { pageStyle } from '../runtime/page-style.ts';
import type { Sighting } from './sighting.ts';

export function answerText(sighting: Sighting): string {
  const lines = [
    ...facts(sighting).map(([name, value]) => `${name}: ${value}`),
    '',
    `${sighting.method} ${sighting.url} HTTP/${sighting.httpVersion}`,
    ...Object.entries(sighting.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${sighting.greeting}\n\n${lines.join('\n')}\n`;
}

export function answerPage(sighting: Sighting): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(sighting.greeting)}</title>
<style>${pageStyle({ light: '#3451d1', dark: '#93a8ff' })}
h2 { font-size: 1rem; margin: 0 0 .75rem; }
dl { display: grid; grid-template-columns: minmax(6rem, 12rem) 1fr; gap: .35rem 1rem; margin: 0; }
dt { color: var(--muted); overflow-wrap: anywhere; } dd { margin: 0; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(sighting.greeting)}</h1>
<p class="muted">This page was made by the pod below, for the request below.</p>
${card('The pod', facts(sighting))}
${card('Your request', [['request', `${sighting.method} ${sighting.url} HTTP/${sighting.httpVersion}`], ...Object.entries(sighting.headers)])}
</main>
</body>
</html>
`;
}

function facts(sighting: Sighting): [string, string][] {
  return [
    ['hostname', sighting.hostname],
    ...(sighting.pod ? ([['pod', sighting.pod]] as [string, string][]) : []),
    ...(sighting.namespace ? ([['namespace', sighting.namespace]] as [string, string][]) : []),
    ['remote address', sighting.remoteAddress],
  ];
}

function card(title: string, rows: [string, string][]): string {
  const list = rows.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd><code>${escapeHtml(value)}</code></dd>`);
  return `<section class="card"><h2>${title}</h2><dl>${list.join('')}</dl></section>`;
}
