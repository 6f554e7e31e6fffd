import { describe, expect, it } from 'vitest';
import { fieldId, sentenceFor, splitProblem } from './form-errors.ts';
import { BerthProblem } from './problem.ts';

describe('sentenceFor', () => {
  it.each([
    ['is required', 'Title is required'],
    ['needs at least 8 characters', 'Title needs at least 8 characters'],
    ['choose one of a, b', 'Choose one of a, b'],
    ['Lower-case letters only', 'Lower-case letters only'],
  ])('%s becomes "%s"', (message, sentence) => {
    expect(sentenceFor('Title', message)).toBe(sentence);
  });
});

describe('splitProblem', () => {
  const problem = new BerthProblem({
    type: 'https://berth.dev/problems/invalid_input',
    title: '',
    status: 400,
    detail: 'The form is not right',
    code: 'invalid_input',
    fields: [
      { path: 'values.title', message: 'is required' },
      { path: 'services[0].image', message: 'is not an image reference' },
    ],
  });

  it('gives each field its own and keeps the rest for the form', () => {
    const { fields, rest } = splitProblem(problem, (path) => path.startsWith('values.'));
    expect(fields).toEqual([{ path: 'values.title', message: 'is required' }]);
    expect(rest.map((each) => each.path)).toEqual(['services[0].image']);
  });

  it('finds nothing in an error that is not ours', () => {
    expect(splitProblem(new Error('boom'), () => true)).toEqual({ fields: [], rest: [] });
  });
});

describe('fieldId', () => {
  it('is an id that a link can lead to', () => expect(fieldId('values.title')).toBe('field-values-title'));
});
