import { escapeHtml } from '../runtime/escape-html.ts';
import { pageStyle } from '../runtime/page-style.ts';
import type { CheckResult } from './check.ts';

export function uptimePage(content: { address: string; everyMinutes: number; results: CheckResult[] }): string {
  const { address, everyMinutes, results } = content;
  const often = everyMinutes === 1 ? 'every minute' : `every ${everyMinutes} minutes`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="30">
<title>${results[0]?.good === false ? 'Down' : 'Up'}: ${escapeHtml(address)}</title>
<style>${pageStyle({ light: '#2458b3', dark: '#8db8ff' })}
h1 { overflow-wrap: anywhere; } .top { display: flex; justify-content: space-between; align-items: start; gap: 1rem; flex-wrap: wrap; margin-bottom: .75rem; }
.bars { display: flex; gap: 2px; height: 5.5rem; align-items: stretch; } .bars i { flex: 1; max-width: .75rem; border-radius: 2px; }
.good { color: light-dark(#15703c, #6ee7a0); } .bad { color: light-dark(#b3261e, #ff9d94); } .bars .good { background: currentColor; } .bars .bad { background: currentColor; }
</style>
</head>
<body>
<main>
<div class="top"><h1>${escapeHtml(address)}</h1><form method="post" action="/check"><button>Check now</button></form></div>
<p class="muted">${summary(results)} A job asks ${often}.</p>
${results.length > 0 ? `${bars(results)}${table(results)}` : ''}
</main>
</body>
</html>
`;
}

function summary(results: CheckResult[]): string {
  if (results.length === 0) return 'Nothing was checked yet.';
  const good = results.filter((result) => result.good).length;
  return `${good} of the last ${results.length} ${results.length === 1 ? 'check' : 'checks'} ${good === 1 ? 'was' : 'were'} good.`;
}

function bars(results: CheckResult[]): string {
  const items = [...results].reverse().map(({ good }) => `<i class="${good ? 'good' : 'bad'}"></i>`);
  return `<div class="card bars" aria-hidden="true">${items.join('')}</div>`;
}

function table(results: CheckResult[]): string {
  const rows = results.map(({ at, good, status, milliseconds, problem }) => {
    const outcome = escapeHtml(problem ?? String(status));
    const when = `${at.slice(0, 19).replace('T', ' ')} UTC`;
    const word = `<span class="${good ? 'good' : 'bad'}">${good ? 'good' : 'bad'}</span>`;
    return `<tr><td><time datetime="${at}">${when}</time><td>${word}<td>${outcome}<td>${milliseconds}&nbsp;ms`;
  });
  return `<section class="card scroll"><table><thead><tr><th>When<th>Check<th>Answer<th>Took</thead><tbody>${rows.join('')}</tbody></table></section>`;
}
