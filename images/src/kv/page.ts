import { escapeHtml } from '../runtime/escape-html.ts';
import { pageStyle } from '../runtime/page-style.ts';

/** The frame; browser.ts fills it. */
export function consolePage(connection: { host: string; port: number }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Key-value store</title>
<style>${pageStyle({ light: '#a3262b', dark: '#ff9d94' })}
main { max-width: 60rem; } .top { display: flex; justify-content: space-between; align-items: start; gap: 1rem; }
h2 { font-size: 1rem; margin: 0 0 .75rem; } #key-form { display: grid; gap: .75rem; } #key-form p, .actions { margin: 0; } form.row { display: flex; gap: .75rem; align-items: end; flex-wrap: wrap; } form.row label { flex: 1 12rem; }
#keys button { all: unset; cursor: pointer; color: var(--accent); overflow-wrap: anywhere; font: .9em/1.5 ui-monospace, Menlo, monospace; }
#keys button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
textarea, #command { font: .9rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; } pre { margin: .75rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.actions { display: flex; gap: .75rem; } .scroll { margin: .75rem 0; } [hidden] { display: none !important; }
</style>
<script type="module" src="/browser.js"></script>
</head>
<body>
<main>
<div class="top"><h1>Key-value store</h1><form method="post" action="/sign-out"><button class="plain">Sign out</button></form></div>
<p class="muted" id="overview">Loading</p>
<p class="problem" role="alert" id="problem" hidden></p>
<section class="card"><h2>Keys</h2>
<form class="row" id="search"><label>Pattern<input id="match" placeholder="*" spellcheck="false"></label><button>Search</button></form>
<div class="scroll"><table><thead><tr><th>Key<th>Type<th>Ends in</thead><tbody id="keys"></tbody></table></div>
<div class="actions"><button class="plain" id="more" hidden>More</button><button class="plain" id="new">New key</button></div></section>
<section class="card" id="editor" hidden><h2>Key</h2>
<form id="key-form"><label>Name<input id="name" required spellcheck="false"></label>
<label>Value<textarea id="value" rows="6" spellcheck="false"></textarea></label>
<p class="muted">A text, or JSON of a list or an object.</p>
<label>Ends in seconds<input id="ttl" inputmode="numeric" pattern="[0-9]*" placeholder="never"></label>
<div class="actions"><button>Save</button><button type="button" class="plain" id="remove">Delete</button><button type="button" class="plain" id="close">Close</button></div></form></section>
<section class="card"><h2>Command</h2>
<form class="row" id="command-form"><label>Words, quoted as in redis-cli<input id="command" placeholder="INCR visits" spellcheck="false" required></label><button>Run</button></form>
<pre id="reply" aria-live="polite"></pre></section>
<section class="card"><h2>How other services reach it</h2>
<p><code>redis://default@${escapeHtml(connection.host)}:${connection.port}/0</code></p><p class="muted">The password is the one that you signed in with.</p></section>
</main>
</body>
</html>
`;
}
