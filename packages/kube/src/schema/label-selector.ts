/** Selectors over labels, as a query string (`app=a,tier in (x,y),!old`) and as the object in a spec. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelRequirement[];
}

export interface LabelRequirement {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt' | (string & {});
  values?: string[];
}

type Labels = Record<string, string> | undefined;

/** An empty selector matches everything, an absent one nothing. */
export function matchesLabelSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  return (
    selector !== undefined && requirementsOf(selector).every((requirement) => meetsRequirement(requirement, labels))
  );
}

export function requirementsOf(selector: LabelSelector): LabelRequirement[] {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }));
  return [...equal, ...(selector.matchExpressions ?? [])];
}

export function meetsRequirement({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const value = labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number.parseInt(value, 10) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number.parseInt(value, 10) < Number(values[0]);
    default:
      return false;
  }
}

export function meetsAll(requirements: LabelRequirement[], labels: Labels): boolean {
  return requirements.every((requirement) => meetsRequirement(requirement, labels));
}

const KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** Throws an Error that names the part it cannot read. */
export function parseLabelSelector(text: string): LabelRequirement[] {
  return splitOutsideParentheses(text)
    .map((part) => part.trim())
    .filter((part, _at, all) => part !== '' || all.length > 1)
    .map(parseRequirement);
}

function parseRequirement(text: string): LabelRequirement {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(text);
  if (set) {
    const values = set[3]!.split(',').map((value) => value.trim());
    return checked({ key: set[1]!, operator: set[2] === 'in' ? 'In' : 'NotIn', values }, text);
  }
  const equality = /^([^\s!=<>]+)\s*(==|=|!=|<|>)\s*(\S*)$/.exec(text);
  if (equality) {
    const operator = { '!=': 'NotIn', '<': 'Lt', '>': 'Gt', '=': 'In', '==': 'In' }[equality[2]!]!;
    return checked({ key: equality[1]!, operator, values: [equality[3]!] }, text);
  }
  const existence = /^(!?)\s*([^\s!=<>(),]+)$/.exec(text);
  if (existence) return checked({ key: existence[2]!, operator: existence[1] ? 'DoesNotExist' : 'Exists' }, text);
  throw new Error(
    `unable to parse requirement: found '${text.split(/\s+/)[1] ?? text}', expected: in, notin, =, ==, !=, gt, lt`,
  );
}

function checked(requirement: LabelRequirement, text: string): LabelRequirement {
  if (!KEY.test(requirement.key)) {
    throw new Error(
      `unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(requirement.key)}: not a label key`,
    );
  }
  for (const value of requirement.values ?? []) {
    if (!VALUE.test(value) || value.length > 63) {
      throw new Error(
        `unable to parse requirement: values[0][${requirement.key}]: Invalid value: ${JSON.stringify(value)}: not a label value in ${JSON.stringify(text)}`,
      );
    }
  }
  return requirement;
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth -= 1;
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
