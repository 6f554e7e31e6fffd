import type { Deployment } from '@berth/core/deployment';
import { CircleStop, Copy, Ellipsis, ExternalLink, Pause, Play, RotateCw, Scaling, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Button, ButtonLink, IconButton } from '../components/button.tsx';
import { Menu, MenuItem, MenuLine } from '../components/menu.tsx';
import {
  type ActionId,
  DEPLOYMENT_ACTIONS,
  isReplaced,
  mayChange,
  mayDelete,
  possibleActions,
  servicesDown,
} from './deployment-actions.ts';
import { paths } from './paths.ts';
import { useTeam } from './team-context.ts';
import { usePendingActions, useRunAction } from './use-deployment-actions.ts';
import { useDialog } from './use-dialog.ts';

const ICON = 'size-4 text-muted';
export const ACTION_ICONS: Record<ActionId, ReactNode> = {
  stop: <CircleStop aria-hidden className={ICON} />,
  start: <Play aria-hidden className={ICON} />,
  restart: <RotateCw aria-hidden className={ICON} />,
  pause: <Pause aria-hidden className={ICON} />,
  resume: <Play aria-hidden className={ICON} />,
};

/** The buttons of a deployment's page: what this person may do with it now, the usual in sight and the rest in a menu. */
export function DeploymentActions({ deployment }: { deployment: Deployment }) {
  const run = useRunAction();
  const { open } = useDialog();
  const pending = usePendingActions().get(deployment.id);
  const actions = possibleActions(deployment).filter(({ id }) => id !== 'pause' && id !== 'resume');
  return (
    <>
      {actions.map(({ id, label, doing }) => (
        <Button
          key={id}
          look={id === 'start' ? 'primary' : id === 'restart' ? 'ghost' : 'secondary'}
          pending={pending === doing}
          // A restart that takes something down says so first.
          onClick={() =>
            id === 'restart' && servicesDown(deployment).length > 0 ? open('restart') : void run(deployment, id)
          }
        >
          {label}
        </Button>
      ))}
      {mayChange(deployment) && (
        <ButtonLink
          look={deployment.desired === 'stopped' ? 'secondary' : 'primary'}
          to={paths.deployment(deployment.teamId, deployment.name, 'settings')}
        >
          Edit
        </ButtonLink>
      )}
      <MoreMenu deployment={deployment} />
    </>
  );
}

function MoreMenu({ deployment }: { deployment: Deployment }) {
  const run = useRunAction();
  const navigate = useNavigate();
  const { open } = useDialog();
  const { may } = useTeam();
  const { teamId, name, addresses } = deployment;
  const calm = possibleActions(deployment).find(({ id }) => id === 'pause' || id === 'resume');
  return (
    <Menu
      trigger={<IconButton look="secondary" label="More actions" icon={<Ellipsis aria-hidden className="size-4" />} />}
    >
      {addresses.map(({ host, url }) => (
        <MenuItem
          key={host}
          icon={<ExternalLink aria-hidden className={ICON} />}
          onSelect={() => window.open(url, '_blank', 'noreferrer')}
        >
          Open {host}
        </MenuItem>
      ))}
      {addresses.length > 0 && <MenuLine />}
      {mayChange(deployment) && deployment.services.some((each) => !isReplaced(each)) && (
        <MenuItem icon={<Scaling aria-hidden className={ICON} />} onSelect={() => open('scale')}>
          Scale…
        </MenuItem>
      )}
      {calm && (
        <MenuItem icon={ACTION_ICONS[calm.id]} onSelect={() => void run(deployment, calm.id)}>
          {DEPLOYMENT_ACTIONS[calm.id].label}
        </MenuItem>
      )}
      {may('deployment:create') && (
        <MenuItem icon={<Copy aria-hidden className={ICON} />} onSelect={() => open('clone')}>
          Clone…
        </MenuItem>
      )}
      {mayDelete(deployment) && (
        <>
          <MenuLine />
          <MenuItem
            danger
            icon={<Trash2 aria-hidden className="size-4" />}
            onSelect={() => navigate(paths.deleteDeployment(teamId, name))}
          >
            Delete…
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
