import { escapeHtml } from '../runtime/escape-html.ts';

/** The frame; browser.ts fills it. */
export function terminalPage(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/browser.css">
<style>
html, body { height: 100%; margin: 0; background: #10141b; color: #c9d1dd; font: 14px/1.5 system-ui, sans-serif; }
body { display: grid; grid-template-rows: auto 1fr; }
header { display: flex; gap: 1rem; align-items: center; padding: .4rem .75rem; border-bottom: 1px solid #2a313d; }
h1 { font-size: 1rem; margin: 0; } #state { flex: 1; color: #93a1b5; }
button { font: inherit; color: inherit; background: none; border: 1px solid #3a4352; border-radius: .4rem; padding: .2rem .75rem; cursor: pointer; }
button:focus-visible { outline: 2px solid #93a8ff; outline-offset: 2px; } #screen { min-height: 0; padding: .5rem; overflow: hidden; }
</style>
<script type="module" src="/browser.js"></script>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1><span id="state" role="status">Connecting</span>
<button id="again" hidden>New shell</button><form method="post" action="/sign-out"><button>Sign out</button></form></header>
<main id="screen" aria-label="Terminal"></main>
</body>
</html>
`;
}
