/**
 * `$(NAME)` becomes the variable's value, `$$` one `$` (so `$$(NAME)` is the text `$(NAME)`); a name that is not known
 * stays as written, and so does a `$` before anything else. Values put in are not looked at again.
 */
export function expand(text: string, lookUp: (name: string) => string | undefined): string {
  let result = '';
  let position = 0;
  while (position < text.length) {
    const dollar = text.indexOf('$', position);
    if (dollar < 0 || dollar + 1 >= text.length) return result + text.slice(position);
    result += text.slice(position, dollar);
    const step = readOperator(text, dollar + 1, lookUp);
    result += step.text;
    position = step.next;
  }
  return result;
}

function readOperator(
  text: string,
  at: number,
  lookUp: (name: string) => string | undefined,
): { text: string; next: number } {
  if (text[at] === '$') return { text: '$', next: at + 1 };
  if (text[at] !== '(') return { text: `$${text[at]}`, next: at + 1 };
  const close = text.indexOf(')', at + 1);
  // Without an end it is no reference: Kubernetes keeps the two characters and goes on behind them.
  if (close < 0) return { text: '$(', next: at + 1 };
  const name = text.slice(at + 1, close);
  return { text: lookUp(name) ?? `$(${name})`, next: close + 1 };
}
