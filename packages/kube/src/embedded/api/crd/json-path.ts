/** The small part of JSONPath that printer columns and subresources use: `.spec.a['b.c'].d[0]`, `.list[?(@.type=="Ready")].status`. */
type Step = { field: string } | { index: number } | { every: true } | { where: string[]; equals: unknown };

const STEP =
  /\.([A-Za-z_$][\w$-]*)|\[\s*(\d+)\s*\]|\[\s*['"]([^'"]+)['"]\s*\]|\[\s*(\*)\s*\]|\[\?\(\s*@((?:\.[\w-]+)+)\s*==\s*(?:"([^"]*)"|'([^']*)'|(\w+))\s*\)\]/y;

/** Undefined for what it cannot read. */
export function parseJsonPath(path: string): Step[] | undefined {
  // A dot may be escaped within a name, as in `.metadata.annotations.example\.dev/x`.
  const text = path
    .replace(/^\{|\}$/g, '')
    .replace(/\.((?:[\w/-]|\\\.)*\\\.(?:[\w/-]|\\\.)*)/g, (_all, name: string) => `['${name.replaceAll('\\.', '.')}']`);
  if (!text.startsWith('.') && !text.startsWith('[')) return undefined;
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const match = STEP.exec(text);
    if (!match) return undefined;
    steps.push(stepOf(match));
  }
  return steps;
}

function stepOf([, field, index, quoted, every, where, double, single, bare]: RegExpExecArray): Step {
  if (index !== undefined) return { index: Number(index) };
  if (every !== undefined) return { every: true };
  if (where !== undefined) return { where: where.split('.').slice(1), equals: double ?? single ?? bareValue(bare!) };
  return { field: (field ?? quoted)! };
}

function bareValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}

/** All values the path leads to. */
export function readJsonPath(steps: Step[], object: unknown): unknown[] {
  let values = [object];
  for (const step of steps) values = values.flatMap((value) => take(step, value));
  return values.filter((value) => value !== undefined && value !== null);
}

function take(step: Step, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('field' in step) return Object.hasOwn(value, step.field) ? [(value as Record<string, unknown>)[step.field]] : [];
  if (!Array.isArray(value)) return [];
  if ('index' in step) return [value[step.index]];
  if ('every' in step) return value;
  return value.filter(
    (item) =>
      readJsonPath(
        step.where.map((field) => ({ field })),
        item,
      )[0] === step.equals,
  );
}

/** Names only, for a path that is also written to: `.spec.replicas`. */
export function fieldsOf(path: string): string[] {
  return (parseJsonPath(path) ?? []).flatMap((step) => ('field' in step ? [step.field] : []));
}
