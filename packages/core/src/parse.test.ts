import { expect, it } from 'vitest';
import { z } from 'zod';
import { BerthError, toProblem } from './errors.ts';
import { parseInput } from './parse.ts';

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
