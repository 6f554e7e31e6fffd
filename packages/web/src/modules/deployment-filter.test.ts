import { describe, expect, it } from 'vitest';
import { aDeployment, ago, someDeployments } from '../testing/fixtures.ts';
import { countByState, type DeploymentFilter, filterDeployments, nextSort, templatesOf } from './deployment-filter.ts';

const NOTHING: DeploymentFilter = { query: '', state: '', template: '', sort: '' };
const names = (filter: Partial<DeploymentFilter>, of = someDeployments()) =>
  filterDeployments(of, { ...NOTHING, ...filter }).map((each) => each.name);

describe('filterDeployments', () => {
  it('finds by parts of name, display name or any address, within a state and a template', () => {
    expect(names({ query: 'book team' })).toEqual(['guestbook']);
    expect(names({ query: 'shop.localhost' })).toEqual(['checkout']);
    expect(names({ query: 'LOCALHOST', state: 'Stopped' })).toEqual(['reports']);
    expect(names({ template: 'three-tier-shop' })).toEqual(['checkout']);
    expect(names({ state: 'nonsense' })).toHaveLength(7);
  });

  it('finds what is new in a deployment that changed', () => {
    const before = aDeployment({ name: 'a' });
    expect(names({ query: 'moved' }, [before])).toEqual([]);
    expect(names({ query: 'moved' }, [{ ...before, displayName: 'Moved' }])).toEqual(['a']);
  });

  it('sorts by what is urgent and by what changed last', () => {
    expect(names({ sort: 'state' }).slice(0, 3)).toEqual(['mailer', 'checkout', 'search']);
    const three = [30, 10, 20].map((minutes) => aDeployment({ name: `n${minutes}`, updatedAt: ago(minutes) }));
    expect(names({ sort: '-changed' }, three)).toEqual(['n10', 'n20', 'n30']);
    expect(names({ sort: '-name' })[0]).toBe('search');
    expect(names({ sort: 'nonsense' })[0]).toBe('billing');
  });

  it('does not touch the list that it was given', () => {
    const given = someDeployments();
    filterDeployments(given, { ...NOTHING, sort: '-name' });
    expect(given[0]?.name).toBe('billing');
  });
});

describe('nextSort', () => {
  it.each([
    ['', 'name', '-name'],
    ['-name', 'name', ''],
    ['', 'changed', '-changed'],
    ['-changed', 'changed', 'changed'],
    ['changed', 'changed', '-changed'],
    ['-changed', 'state', 'state'],
    ['state', 'state', '-state'],
    ['state', 'name', ''],
  ] as const)('from "%s" a click on %s sorts by "%s"', (sort, by, next) => {
    expect(nextSort(sort, by)).toBe(next);
  });
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

it('lists templates once, by name', () => {
  expect(templatesOf([...someDeployments(), aDeployment({ template: undefined })])).toEqual([
    'guestbook',
    'none',
    'three-tier-shop',
  ]);
});
