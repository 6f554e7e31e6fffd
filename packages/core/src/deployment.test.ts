import { expect, it } from 'vitest';
import { createDeploymentSchema, updateDeploymentSchema } from './deployment.ts';
import { fieldErrors } from './parse.ts';

const create = (input: object) => createDeploymentSchema.safeParse({ name: 'book', template: 'guestbook', ...input });

it('a title is one line: what would move a cursor or forge a line of a table is refused by name', () => {
  for (const displayName of ['\u001b[2Jgone', 'two\nlines', 'a\u009b1m', 'a\0b']) {
    for (const { error } of [create({ displayName }), updateDeploymentSchema.safeParse({ displayName })])
      expect(error && fieldErrors(error)).toEqual([
        { path: 'displayName', message: 'must not contain control characters' },
      ]);
  }
  expect(create({ displayName: ' Unsere Hochzeit 💒 ' }).data?.displayName).toBe('Unsere Hochzeit 💒');
  expect(create({ displayName: '' }).success).toBe(true);
});

it.each([null, { a: 1 }, ['x'], Number.POSITIVE_INFINITY])(
  'a value that no form field gives is refused: %j',
  (value) => {
    const { error } = create({ values: { title: value } });
    expect(error && fieldErrors(error)).toEqual([
      { path: 'values.title', message: 'must be a text, a number, true or false' },
    ]);
  },
);
