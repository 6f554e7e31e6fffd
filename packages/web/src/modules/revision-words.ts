import type { Deployment, Revision } from '@berth/core/deployment';
import type { StateWords } from './deployment-state.ts';

/** What became of a revision, in words. What is wanted and on its way moves. */
export function outcomeOf(revision: Revision, deployment: Pick<Deployment, 'paused' | 'desired'>): StateWords {
  const { outcome, current, serving } = revision;
  if (outcome === 'failed') return { tone: 'bad', words: 'Failed', moving: false };
  if (outcome === 'replaced') return { tone: 'neutral', words: 'Replaced', moving: false };
  if (outcome === 'pending') {
    if (!current) return { tone: 'neutral', words: 'Replaced', moving: false };
    if (deployment.desired === 'stopped') return { tone: 'sleep', words: 'Waits for a start', moving: false };
    if (deployment.paused) return { tone: 'sleep', words: 'Waits', moving: false };
    return { tone: 'info', words: 'Rolling out', moving: true };
  }
  if (serving && deployment.desired !== 'stopped') return { tone: 'ok', words: 'Running', moving: false };
  return { tone: 'neutral', words: 'Ran', moving: false };
}

/** Who made it: a person, or the program that wrote the resource (a field manager of Kubernetes). */
export interface Author {
  kind: 'person' | 'program';
  words: string;
}

const KUBECTL = /^kubectl(-(.+))?$/;

export function authorOf(by: string, me: string | undefined): Author {
  if (by === me) return { kind: 'person', words: 'you' };
  if (by.includes('@')) return { kind: 'person', words: by };
  const verb = KUBECTL.exec(by)?.[2];
  if (verb === undefined) return { kind: 'program', words: by };
  return { kind: 'program', words: `kubectl ${verb.replace(/^client-side-/, '').replaceAll('-', ' ')}` };
}

/** What can be brought back: not what is wanted now, and not what could not run. */
export function mayRollBackTo(revision: Revision, deployment: Deployment): boolean {
  return (
    !revision.current &&
    revision.outcome !== 'failed' &&
    deployment.permissions.includes('deployment:update') &&
    deployment.desired !== 'deleted'
  );
}
