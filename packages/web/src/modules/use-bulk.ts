import type { Deployment } from '@berth/core/deployment';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import type { BulkAction } from './bulk-actions.ts';
import { DEPLOYMENT_ACTIONS } from './deployment-actions.ts';
import { inParallel } from './in-parallel.ts';
import { useChange } from './use-deployment-actions.ts';

export type BulkResult =
  | { state: 'waiting' }
  | { state: 'running' }
  | { state: 'done' }
  | { state: 'failed'; message: string };

export interface UseBulk {
  state: 'asking' | 'running' | 'done';
  results: ReadonlyMap<string, BulkResult>;
  /** Ids. */
  failed: readonly string[];
  run: (deployments: readonly Deployment[]) => Promise<void>;
  undo: ((deployments: readonly Deployment[]) => Promise<void>) | undefined;
}

/** Does one thing with many deployments, a few at a time, and keeps how each went. */
export function useBulk(first: BulkAction): UseBulk {
  const change = useChange();
  const [action, setAction] = useState(first);
  const [state, setState] = useState<UseBulk['state']>('asking');
  const [results, setResults] = useState<ReadonlyMap<string, BulkResult>>(new Map());
  const note = (id: string, result: BulkResult) => setResults((before) => new Map(before).set(id, result));
  const runAs = async (what: BulkAction, deployments: readonly Deployment[]) => {
    setAction(what);
    setState('running');
    for (const { id } of deployments) note(id, { state: 'waiting' });
    await inParallel(deployments, async ({ id }) => {
      note(id, { state: 'running' });
      try {
        await change({ id, ...wordsAndWork(what, id) });
        note(id, { state: 'done' });
      } catch (error) {
        note(id, { state: 'failed', message: messageOf(error) });
      }
    });
    setState('done');
  };
  const back = action === 'delete' ? undefined : DEPLOYMENT_ACTIONS[action].undo;
  const failed = [...results].filter(([, result]) => result.state === 'failed').map(([id]) => id);
  return {
    state,
    results,
    failed,
    run: (deployments) => runAs(action, deployments),
    undo:
      back &&
      ((deployments) =>
        runAs(
          back,
          deployments.filter((each) => results.get(each.id)?.state === 'done'),
        )),
  };
}

function wordsAndWork(action: BulkAction, id: string): { doing: string; work: () => Promise<Deployment> } {
  if (action === 'delete') return { doing: 'Deleting', work: () => call('deleteDeployment', { params: { id } }) };
  const { doing, route } = DEPLOYMENT_ACTIONS[action];
  return { doing, work: () => call(route, { params: { id } }) };
}
