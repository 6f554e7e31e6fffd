import type { RevisionChange } from '@berth/core/deployment';
import type { CliOutput } from './context.ts';
import { type Colour, harmless, paint } from './output.ts';

/** What differs, by what it belongs to; each line of a value with its sign. */
export function describeChanges(output: CliOutput, changes: readonly RevisionChange[]): string {
  if (changes.length === 0) return 'Nothing differs.\n';
  const subjects = [...new Set(changes.map(({ subject }) => subject))];
  return subjects
    .map((subject) => {
      const own = changes.filter((each) => each.subject === subject);
      return `${paint(output, 'bold', subject)}\n${own.map((change) => describeChange(output, change)).join('')}`;
    })
    .join('\n');
}

function describeChange(output: CliOutput, { field, before, after }: RevisionChange): string {
  return `  ${field}\n${side(output, ['-', 'red'], before)}${side(output, ['+', 'green'], after)}`;
}

function side(output: CliOutput, [sign, colour]: [string, Colour], text: string | undefined): string {
  if (text === undefined) return '';
  return text
    .split('\n')
    .map((line) => `    ${paint(output, colour, `${sign} ${harmless(line)}`)}\n`)
    .join('');
}
