import { expect, it } from 'vitest';
import { z } from 'zod';
import { BerthError, toProblem } from './errors.ts';
import { fieldErrors, parseInput } from './parse.ts';

const schema = z.strictObject({
  name: z.string().max(3),
  list: z.array(z.strictObject({ port: z.int() })),
  kind: z.enum(['a', 'b']),
});

it('an error names every wrong field in plain words', () => {
  try {
    parseInput(schema, { name: 'long', list: [{ port: 'x', prot: 1 }], extra: 1 }, 'The thing');
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof BerthError)) throw error;
    const problem = toProblem(error, 'r1');
    expect(problem).toMatchObject({ status: 400, code: 'invalid_input', requestId: 'r1' });
    expect(problem.fields).toEqual([
      { path: 'name', message: 'must be at most 3 characters long' },
      { path: 'list[0].port', message: 'must be a number' },
      { path: 'list[0].prot', message: 'is not known here; check the spelling or remove it' },
      { path: 'kind', message: 'must be "a" or "b"' },
      { path: 'extra', message: 'is not known here; check the spelling or remove it' },
    ]);
  }
});

it('names the first hundred fields that are wrong and how many more there are', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key${index}`, 1]));
  const { error } = z.strictObject({}).safeParse(many);
  const fields = error ? fieldErrors(error, ['spec']) : [];
  expect(fields).toHaveLength(101);
  expect(fields.at(-1)).toEqual({ path: 'spec', message: '4900 more are not right; mend these first' });
});
