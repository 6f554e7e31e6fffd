import { expect, it } from 'vitest';
import { safeNext } from './SignInPage.tsx';

it.each([
  ['/teams/a?q=b', '/teams/a?q=b'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example', '/'],
  ['/sign-in?next=/', '/'],
  [null, '/'],
])('after sign-in, %s leads to %s', (next, to) => expect(safeNext(next)).toBe(to));
