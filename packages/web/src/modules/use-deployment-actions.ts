import type { Deployment } from '@berth/core/deployment';
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import { takeAnswer } from '../api/queries/deployment.ts';
import { useFeedback } from '../components/feedback.tsx';
import { type ActionId, DEPLOYMENT_ACTIONS } from './deployment-actions.ts';

export interface Wish {
  id: string;
  /** In words, while the answer is not there: "Restarting". */
  doing: string;
  work: () => Promise<Deployment>;
}
const MUTATION_KEY = ['deployment-action'];

/** Asks for a change, shows it as pending wherever the deployment is shown, and puts the answer there. Throws what went wrong. */
export function useChange(): (wish: Wish) => Promise<Deployment> {
  const client = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationKey: MUTATION_KEY,
    mutationFn: ({ work }: Wish) => work(),
    onSuccess: (answer) => {
      takeAnswer(client, answer);
      void client.invalidateQueries({ queryKey: ['revisions', answer.id] });
    },
  });
  return mutateAsync;
}

/** Runs an action at once; a failure is said. */
export function useRunAction(): (deployment: Deployment, action: ActionId) => Promise<boolean> {
  const change = useChange();
  const { toast } = useFeedback();
  return useCallback(
    async ({ id, name }, action) => {
      const { doing, label, route } = DEPLOYMENT_ACTIONS[action];
      try {
        await change({ id, doing, work: () => call(route, { params: { id } }) });
        return true;
      } catch (error) {
        toast({ tone: 'bad', text: `Could not ${label.toLowerCase()} ${name}: ${messageOf(error)}` });
        return false;
      }
    },
    [change, toast],
  );
}

/** Runs an action and tells of it with a way back: for where the deployment's state is out of sight. */
export function useRunWithToast(): (deployment: Deployment, action: ActionId) => Promise<void> {
  const run = useRunAction();
  const { toast } = useFeedback();
  return async (deployment, action) => {
    if (!(await run(deployment, action))) return;
    const { done, undo } = DEPLOYMENT_ACTIONS[action];
    const back = undo && { label: 'Undo', run: () => void run(deployment, undo) };
    toast({ tone: 'ok', text: `${done} ${deployment.name}`, action: back });
  };
}

/** What is on its way, in words, by the deployment's id. */
export function usePendingActions(): ReadonlyMap<string, string> {
  const wishes = useMutationState({
    filters: { mutationKey: MUTATION_KEY, status: 'pending' },
    select: (mutation) => mutation.state.variables as Wish,
  });
  return useMemo(() => new Map(wishes.map(({ id, doing }) => [id, doing])), [wishes]);
}
