import type { Deployment } from '@berth/core/deployment';
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import { takeAnswer } from '../api/queries/deployment.ts';
import { useFeedback } from '../components/feedback.tsx';
import { type ActionId, DEPLOYMENT_ACTIONS } from './deployment-actions.ts';

interface Wish {
  deployment: Deployment;
  action: ActionId;
}
const MUTATION_KEY = ['deployment-action'];

/** Runs an action at once and shows it as pending wherever the deployment is shown; a failure is said. */
export function useRunAction(): (deployment: Deployment, action: ActionId) => Promise<boolean> {
  const client = useQueryClient();
  const { toast } = useFeedback();
  const { mutateAsync } = useMutation({
    mutationKey: MUTATION_KEY,
    mutationFn: ({ deployment, action }: Wish) =>
      call(DEPLOYMENT_ACTIONS[action].route, { params: { id: deployment.id } }),
    onSuccess: (answer) => takeAnswer(client, answer),
  });
  return async (deployment, action) => {
    try {
      await mutateAsync({ deployment, action });
      return true;
    } catch (error) {
      const verb = DEPLOYMENT_ACTIONS[action].label.toLowerCase();
      toast({ tone: 'bad', text: `Could not ${verb} ${deployment.name}: ${messageOf(error)}` });
      return false;
    }
  };
}

/** Actions that are on their way, by the deployment's id. */
export function usePendingActions(): ReadonlyMap<string, ActionId> {
  const wishes = useMutationState({
    filters: { mutationKey: MUTATION_KEY, status: 'pending' },
    select: (mutation) => mutation.state.variables as Wish,
  });
  return new Map(wishes.map(({ deployment, action }) => [deployment.id, action]));
}
