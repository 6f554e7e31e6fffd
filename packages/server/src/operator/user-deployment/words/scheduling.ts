import { sentence } from './words.ts';

/** What the scheduler says of a pod that no node takes: one word for each thing that keeps nodes away, and what would help. */
export interface SchedulingWords {
  reason: 'Unschedulable' | 'VolumeNotBound';
  message: string;
}

interface Obstacle {
  pattern: RegExp;
  /** After "2 of 3 nodes". */
  words: readonly [one: string, several: string];
  help: string;
}

const LESS = 'Ask for less, stop something else, or have a node added.';

/** In the order of what is worth doing first: what a person can change here comes before what needs the cluster's administrator. */
const OBSTACLES: readonly Obstacle[] = [
  { pattern: /Insufficient cpu/, words: ['has not enough free CPU', 'have not enough free CPU'], help: LESS },
  { pattern: /Insufficient memory/, words: ['has not enough free memory', 'have not enough free memory'], help: LESS },
  {
    pattern: /Insufficient ephemeral-storage/,
    words: ['has not enough free disk', 'have not enough free disk'],
    help: LESS,
  },
  { pattern: /Insufficient (\S+)/, words: ['lacks what it asks for', 'lack what it asks for'], help: LESS },
  {
    pattern: /Too many pods/,
    words: ['is full of pods', 'are full of pods'],
    help: 'Stop something else, or have a node added.',
  },
  {
    pattern: /volume node affinity conflict|exceed max volume count/,
    words: ['cannot reach its volume', 'cannot reach its volume'],
    help: 'Its volume can be used on certain nodes only; whoever runs the cluster can say which are missing.',
  },
  {
    pattern: /node affinity\/selector/,
    words: ['is not of the kind it asks for', 'are not of the kind it asks for'],
    help: 'Whoever runs the cluster can say which nodes are for apps.',
  },
  {
    pattern: /were unschedulable/,
    words: ['is closed for new pods', 'are closed for new pods'],
    help: 'They are closed for maintenance; whoever runs the cluster opens them again.',
  },
  {
    pattern: /untolerated taint/,
    words: ['is not ready or is kept for something else', 'are not ready or are kept for something else'],
    help: 'If it stays so, ask whoever runs the cluster: a taint on the nodes keeps apps away.',
  },
];

export function schedulingWords(text: string): SchedulingWords {
  if (/no nodes available to schedule pods/.test(text)) {
    const message = 'No node can take the pod: the cluster has none. Whoever runs the cluster has to add one.';
    return { reason: 'Unschedulable', message };
  }
  if (/unbound immediate PersistentVolumeClaims|didn't find available persistent volumes/.test(text)) {
    const message = 'The pod waits for its volume, which the cluster has not made yet.';
    return { reason: 'VolumeNotBound', message };
  }
  const claim = /persistentvolumeclaim "([^"]+)" (not found|is being deleted)/.exec(text);
  if (claim) {
    const what = claim[2] === 'not found' ? 'is not there' : 'is being deleted';
    return { reason: 'VolumeNotBound', message: `The pod waits for its volume: ${claim[1]} ${what}.` };
  }
  const message = nodesWords(text) ?? `No node can take the pod: ${text}`;
  return { reason: 'Unschedulable', message: sentence(message) };
}

/** "0/3 nodes are available: 2 Insufficient cpu, 1 node(s) were unschedulable. no new claims to deallocate, preemption: ..." */
const NODES = /^0\/(\d+) nodes are available: (.+?)\.(?:\s|$)/s;

function nodesWords(text: string): string | undefined {
  const [, total, list = ''] = NODES.exec(text) ?? [];
  const found = list.split(/, (?=\d)/).flatMap((part) => {
    const [, count, what = ''] = /^(\d+) (.+)$/s.exec(part) ?? [];
    const obstacle = OBSTACLES.find(({ pattern }) => pattern.test(what));
    return obstacle && count !== undefined ? [{ obstacle, count: Number(count) }] : [];
  });
  if (total === undefined || found.length === 0) return undefined;
  const parts = found.map(({ obstacle, count }) => `${count} of ${total} ${obstacle.words[count === 1 ? 0 : 1]}`);
  const first = OBSTACLES.find((obstacle) => found.some((each) => each.obstacle === obstacle));
  return `No node can take the pod: ${parts.join(', ')}. ${first?.help ?? ''}`;
}
