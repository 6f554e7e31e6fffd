export const DOCUMENTATION_STYLE = `
:root { color-scheme: light dark; --page: light-dark(#ffffff, #101318); --ink: light-dark(#1b1f27, #e6e9ef);
  --muted: light-dark(#565d6b, #a2aab8); --line: light-dark(#dfe3ea, #2a303b); --soft: light-dark(#f5f6f9, #181c24);
  --accent: light-dark(#3451d1, #9db0ff); --get: light-dark(#15703c, #6ee7a0); --post: light-dark(#3451d1, #9db0ff);
  --patch: light-dark(#92500a, #fbbf5a); --delete: light-dark(#be1248, #fda4b8); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 1rem; top: 1rem; background: var(--page); padding: .5rem; }
.layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 76rem; margin: 0 auto; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 2rem 1rem 2rem 1.5rem;
  border-right: 1px solid var(--line); font-size: .9rem; }
nav h2 { font-size: .75rem; letter-spacing: .05em; text-transform: uppercase; color: var(--muted); margin: 1.25rem 0 .35rem; }
nav ul { list-style: none; margin: 0; padding: 0; } nav a { display: block; padding: .2rem 0; color: inherit; text-decoration: none; }
nav a:hover { color: var(--accent); text-decoration: underline; }
main { padding: 2rem 2rem 6rem; min-width: 0; }
h1 { font-size: 1.75rem; margin: 0 0 .5rem; } h2.tag { margin: 3rem 0 .25rem; font-size: 1.3rem; }
p { margin: .5rem 0; } .muted { color: var(--muted); }
a { color: var(--accent); } a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code, pre { font-family: ui-monospace, "JetBrains Mono", monospace; font-size: .875em; }
code { overflow-wrap: anywhere; } pre { background: var(--soft); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; overflow-x: auto; }
.operation { border: 1px solid var(--line); border-radius: .75rem; padding: 1rem 1.25rem; margin: 1rem 0; }
.operation:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.operation h3 { margin: 0; font-size: 1rem; display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; }
.operation h3 a { color: inherit; text-decoration: none; } .operation h4 { margin: 1rem 0 .25rem; font-size: .85rem; color: var(--muted); }
.method { font: 700 .75rem ui-monospace, monospace; min-width: 3.75rem; }
.GET { color: var(--get); } .POST { color: var(--post); } .PATCH, .PUT { color: var(--patch); } .DELETE { color: var(--delete); }
.fields { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--muted); } tr:last-child td { border-bottom: 0; }
details { margin: .35rem 0; } summary { cursor: pointer; padding: .2rem 0; }
@media (max-width: 52rem) { .layout { grid-template-columns: minmax(0, 1fr); } nav { position: static; max-height: 40vh;
  border-right: 0; border-bottom: 1px solid var(--line); padding: 1rem; } main { padding: 1rem 1rem 4rem; } }
`;
