import { escapeHtml } from '../runtime/escape-html.ts';
import { pageStyle } from '../runtime/page-style.ts';

export interface ShopPage {
  title: string;
  /** ISO 4217, such as EUR. */
  currency: string;
}

/** The frame; browser.ts fills it. */
export function shopPage({ title, currency }: ShopPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${pageStyle({ light: '#0f6b5c', dark: '#6fe0c8' })}
main { max-width: 60rem; } h2 { font-size: 1.1rem; margin: 0 0 .75rem; }
#products { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1rem; margin-top: 1.25rem; }
#products article { display: grid; gap: .5rem; grid-template-rows: auto 1fr auto auto; margin: 0; } #products h2 { margin: 0; } #products p { margin: 0; }
.price { font-weight: 700; font-size: 1.15rem; } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
#lines td { vertical-align: middle; } td input { width: 5rem; padding: .25rem .5rem; } form { display: flex; gap: .75rem; align-items: end; flex-wrap: wrap; margin-top: 1rem; } form label { flex: 1 12rem; }
ul { margin: 0; padding-left: 1.2rem; } [hidden] { display: none !important; }
</style>
<script type="module" src="/browser.js"></script>
</head>
<body data-currency="${escapeHtml(currency)}">
<main>
<h1>${escapeHtml(title)}</h1>
<p class="problem" role="alert" id="problem" hidden></p>
<section id="products" aria-label="Products"></section>
<section class="card" aria-live="polite"><h2>Your cart</h2><p class="muted" id="empty">Nothing in it yet.</p>
<div id="cart" hidden><div class="scroll"><table><thead><tr><th>Product<th class="number">Price<th>Quantity<th class="number">Sum</thead><tbody id="lines"></tbody>
<tfoot><tr><th colspan="3">Total<td class="number" id="total"></tfoot></table></div>
<form id="order"><label>Your name<input name="name" required maxlength="100" autocomplete="name"></label><button>Order</button></form></div></section>
<section class="card" id="ordered" hidden><h2>Your orders</h2><ul id="orders"></ul></section>
</main>
</body>
</html>
`;
}
