import type { Deployment } from '@berth/core/deployment';
import { STATE_FILTERS, type StateFilter, stateFilterOf } from './deployment-state.ts';

/** What a list of deployments shows and in which order. All of it lives in the address. */
export interface DeploymentFilter {
  /** Every word must be somewhere in name, address or template. */
  query: string;
  /** One of `STATE_FILTERS`, or empty for all. */
  state: string;
  /** A template's name, or empty for all. */
  template: string;
  /** One of `SORTS`, with `-` before it for the other way round; by name when empty. */
  sort: string;
}

export const SORTS = ['name', 'state', 'template', 'changed'] as const;
export type Sort = (typeof SORTS)[number];

/** What is made with kubectl comes from no template. */
export const NO_TEMPLATE = 'none';

export function filterDeployments(deployments: readonly Deployment[], filter: DeploymentFilter): Deployment[] {
  const { state, template, sort } = filter;
  const words = filter.query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = deployments.filter((each) => {
    if (isStateFilter(state) && stateFilterOf(each) !== state) return false;
    if (template !== '' && (each.template?.name ?? NO_TEMPLATE) !== template) return false;
    return words.every((word) => textOf(each).includes(word));
  });
  return sorted(found, sort);
}

export function countByState(deployments: readonly Deployment[]): Record<StateFilter, number> {
  const counts = Object.fromEntries(STATE_FILTERS.map((each) => [each, 0])) as Record<StateFilter, number>;
  for (const each of deployments) counts[stateFilterOf(each)] += 1;
  return counts;
}

/** Templates that something was made from, by name. */
export function templatesOf(deployments: readonly Deployment[]): string[] {
  return [...new Set(deployments.map((each) => each.template?.name ?? NO_TEMPLATE))].sort();
}

export function readSort(sort: string): { by: Sort; descending: boolean } {
  const descending = sort.startsWith('-');
  const asked = descending ? sort.slice(1) : sort;
  return { by: SORTS.find((each) => each === asked) ?? 'name', descending };
}

/** A click on the head of a column: the order that is most asked for first, then the other way round. */
export function nextSort(sort: string, by: Sort): string {
  const now = readSort(sort);
  const first = by === 'changed' ? '-changed' : by;
  const next = now.by === by && (sort || 'name') === first ? (first.startsWith('-') ? by : `-${by}`) : first;
  return next === 'name' ? '' : next;
}

/** A deployment's object is new with every change of it, so its text is made once for each. */
const texts = new WeakMap<Deployment, string>();

function textOf(deployment: Deployment): string {
  let text = texts.get(deployment);
  if (text === undefined) {
    const { name, displayName, template, addresses } = deployment;
    text = [name, displayName, template?.name, ...addresses.map((each) => each.host)].join(' ').toLowerCase();
    texts.set(deployment, text);
  }
  return text;
}

function sorted(deployments: Deployment[], sort: string): Deployment[] {
  const { by, descending } = readSort(sort);
  // They come by name already.
  if (by === 'name') return descending ? deployments.reverse() : deployments;
  const keyOf = KEYS[by];
  const keyed = deployments.map((deployment) => ({ deployment, key: keyOf(deployment) }));
  // Times are written so that they sort as text.
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const found = keyed.map((each) => each.deployment);
  return descending ? found.reverse() : found;
}

const KEYS: Record<Exclude<Sort, 'name'>, (deployment: Deployment) => string> = {
  // What needs somebody comes first.
  state: (deployment) => String(URGENCY.indexOf(stateFilterOf(deployment))),
  template: ({ template }) => (template ? `${template.name} ${template.version}` : '~'),
  changed: ({ updatedAt }) => updatedAt,
};
const URGENCY: readonly StateFilter[] = ['Failing', 'Update stopped', 'Changing', 'Running', 'Stopped'];

function isStateFilter(text: string): text is StateFilter {
  return (STATE_FILTERS as readonly string[]).includes(text);
}
