import type { Deployment } from '@berth/core/deployment';
import { Button, ButtonLink } from '../components/button.tsx';
import { possibleActions } from './deployment-actions.ts';
import { paths } from './paths.ts';
import { usePendingActions, useRunAction } from './use-deployment-actions.ts';

/** The buttons of a deployment's page: what this person may do with it now. */
export function DeploymentActions({ deployment }: { deployment: Deployment }) {
  const run = useRunAction();
  const pending = usePendingActions().get(deployment.id);
  const actions = possibleActions(deployment);
  if (actions.length === 0) return undefined;
  return (
    <>
      {actions.map((action) => (
        <Button
          key={action.id}
          look={action.id === 'start' ? 'primary' : action.id === 'restart' ? 'ghost' : 'secondary'}
          pending={pending === action.id}
          onClick={() => void run(deployment, action.id)}
        >
          {action.label}
        </Button>
      ))}
      <ButtonLink
        look={deployment.desired === 'stopped' ? 'secondary' : 'primary'}
        to={paths.deployment(deployment.teamId, deployment.name, 'settings')}
      >
        Edit
      </ButtonLink>
    </>
  );
}
