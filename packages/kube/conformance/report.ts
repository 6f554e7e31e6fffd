import type { Difference } from './differences.ts';
import { isKnown, KNOWN_DIFFERENCES, type KnownDifference } from './known-differences.ts';

export interface Report {
  cases: number;
  /** Asked nobody: pods have to run for them, and on one of the two none do. */
  leftOut: string[];
  answers: number;
  unknown: Difference[];
  known: { difference: Difference; reason: string }[];
  /** On the list of known ones, asked for, and no difference any more. */
  stale: KnownDifference[];
}

export function reportOf(
  differences: readonly Difference[],
  asked: { cases: readonly { area: string; name: string }[]; leftOut: string[]; answers: number },
): Report {
  const known = differences.flatMap((difference) => {
    const entry = KNOWN_DIFFERENCES.find((each) => isKnown(each, difference));
    return entry ? [{ difference, reason: entry.reason, entry }] : [];
  });
  const was = new Set(known.map(({ difference }) => difference));
  const used = new Set(known.map(({ entry }) => entry));
  const areas = new Set(asked.cases.map(({ area }) => area));
  const names = asked.cases.map(({ area, name }) => `${area} ${name}`);
  // A pattern over several cases is stale only when none of them is left.
  const wasAsked = ({ area, case: name }: KnownDifference) =>
    name.endsWith('*') ? areas.has(area) : names.includes(`${area} ${name}`);
  return {
    cases: asked.cases.length,
    leftOut: asked.leftOut,
    answers: asked.answers,
    unknown: differences.filter((difference) => !was.has(difference)),
    known: known.map(({ difference, reason }) => ({ difference, reason })),
    stale: KNOWN_DIFFERENCES.filter((entry) => wasAsked(entry) && !used.has(entry)),
  };
}

const SHOWN_CHARACTERS = 160;

/** Markdown. */
export function writeReport({ cases, leftOut, answers, unknown, known, stale }: Report): string {
  const lines = [
    '# The embedded cluster beside a real one',
    '',
    `${cases} cases, ${answers} answers: ${unknown.length} differences that are not known, ${known.length} that are.`,
  ];
  if (leftOut.length > 0) lines.push('', `Not asked, since no pods run on one of the two: ${leftOut.join('; ')}.`);
  if (unknown.length > 0) lines.push('', '## Not known', '', ...tableOf(unknown.map((difference) => ({ difference }))));
  if (known.length > 0) lines.push('', '## Known', '', ...tableOf(known));
  if (stale.length > 0) {
    lines.push('', '## On the list, but no difference any more: take them off', '');
    for (const each of stale) lines.push(`- ${each.area}: ${each.case}: ${each.step}: ${each.path}`);
  }
  return `${lines.join('\n')}\n`;
}

function tableOf(rows: readonly { difference: Difference; reason?: string }[]): string[] {
  return [
    '| area | case | asked | where | embedded | real | why |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(({ difference, reason = '' }) => {
      const { area, case: name, step, asked, path, embedded, real } = difference;
      const question = asked === undefined ? step : `${step}: \`${asked}\``;
      return `| ${[area, name, question, `\`${path}\``, text(embedded), text(real), reason].map(cell).join(' | ')} |`;
    }),
  ];
}

function text(value: unknown): string {
  const whole = JSON.stringify(value) ?? 'nothing';
  return `\`${whole.length > SHOWN_CHARACTERS ? `${whole.slice(0, SHOWN_CHARACTERS)}…` : whole}\``;
}

function cell(words: string): string {
  return words.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
