/** One look for the pages of our images; colours come from the page's accent. No external assets, light and dark. */
export function pageStyle(accent: { light: string; dark: string }): string {
  return `
:root { color-scheme: light dark; --accent: ${accent.light}; --page: #f6f7f9; --card: #fff; --text: #171a21;
  --muted: #5b6472; --line: #e3e6eb; --on-accent: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --accent: ${accent.dark}; --page: #0f1218; --card: #181c24; --text: #eef1f6; --muted: #9aa5b5; --line: #2a303b;
    --on-accent: #0f1218; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-font-smoothing: antialiased; }
main { max-width: 44rem; margin: 0 auto; padding: clamp(1.5rem, 6vw, 4rem) 1.25rem; }
h1 { font-size: clamp(1.6rem, 5vw, 2.25rem); line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .5rem; text-wrap: balance; }
p { margin: 0 0 1rem; } .muted { color: var(--muted); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .9rem; padding: 1.25rem; margin-top: 1.25rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
label { display: grid; gap: .35rem; font-weight: 600; }
input, textarea, select { font: inherit; font-weight: 400; color: inherit; width: 100%; background: var(--page); border: 1px solid var(--line);
  border-radius: .6rem; padding: .6rem .75rem; } textarea { min-height: 6.5rem; resize: vertical; }
button { justify-self: start; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0;
  border-radius: .6rem; padding: .65rem 1.25rem; min-height: 2.75rem; white-space: nowrap; cursor: pointer; } button:hover { filter: brightness(1.08); }
button.plain { color: inherit; background: none; border: 1px solid var(--line); }
.problem { margin: 0; padding: .6rem .75rem; border-radius: .6rem; border: 1px solid currentColor; color: light-dark(#b3261e, #ff9d94); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:last-child, th:last-child { padding-right: 0; }
th { color: var(--muted); font-weight: 600; white-space: nowrap; }
code { font: .9em/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; overflow-wrap: anywhere; }`;
}
