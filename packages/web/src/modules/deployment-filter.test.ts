import { expect, it } from 'vitest';
import { someDeployments } from '../testing/fixtures.ts';
import { countByState, filterDeployments } from './deployment-filter.ts';

it('finds by parts of name, display name or address, within a state', () => {
  const names = (query: string, state = '') =>
    filterDeployments(someDeployments(), query, state).map((each) => each.name);
  expect(names('book team')).toEqual(['guestbook']);
  expect(names('LOCALHOST', 'Stopped')).toEqual(['reports']);
  expect(names('', 'nonsense')).toHaveLength(7);
});

it('counts each once', () => {
  expect(countByState(someDeployments())).toEqual({
    Running: 3,
    Failing: 1,
    Changing: 1,
    'Update stopped': 1,
    Stopped: 1,
  });
});
