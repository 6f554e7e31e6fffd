import { expect, it } from 'vitest';
import { createListAnswers } from './list-answers.ts';

const text = async (answer: Promise<Buffer>) => (await answer).toString();
const question = (position: number, details: unknown = {}, teamId = 'a') => ({ teamId, position, details });

it('gives the same text while nothing changed, and makes it anew when something did', async () => {
  const answers = createListAnswers();
  let made = 0;
  const make = async () => ({ made: ++made });
  expect(await text(answers.answer(question(1), make))).toBe('{"made":1}');
  expect(await text(answers.answer(question(1), make))).toBe('{"made":1}');
  expect(await text(answers.answer(question(2), make))).toBe('{"made":2}');
});

it('keeps apart teams, rights and filters', async () => {
  const answers = createListAnswers();
  await answers.answer(question(1, { permissions: ['a'] }), async () => 'mine');
  expect(await text(answers.answer(question(1, { permissions: ['b'] }), async () => 'theirs'))).toBe('"theirs"');
  expect(await text(answers.answer(question(1, { permissions: ['a'] }, 'b'), async () => 'other'))).toBe('"other"');
});

it('forgets what was not asked for the longest time when it is too much', async () => {
  const answers = createListAnswers(20);
  await answers.answer(question(1, 'a'), async () => 'x'.repeat(8));
  await answers.answer(question(1, 'b'), async () => 'x'.repeat(8));
  await answers.answer(question(1, 'a'), async () => 'not made');
  await answers.answer(question(1, 'c'), async () => 'x'.repeat(8));
  expect(await text(answers.answer(question(1, 'a'), async () => 'anew'))).toBe('"xxxxxxxx"');
  expect(await text(answers.answer(question(1, 'b'), async () => 'anew'))).toBe('"anew"');
});
