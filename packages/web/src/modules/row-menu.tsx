import type { Deployment } from '@berth/core/deployment';
import { Ellipsis } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { IconButton } from '../components/button.tsx';
import { Menu, MenuItem, MenuLine } from '../components/menu.tsx';
import { isReplaced, mayChange, mayDelete, possibleActions } from './deployment-actions.ts';
import { paths } from './paths.ts';
import { useTeam } from './team-context.ts';
import { useRunWithToast } from './use-deployment-actions.ts';

/** Everything that can be done with one deployment of a list. Made when it is first asked for: a long list has many. */
export function RowMenu({ deployment }: { deployment: Deployment }) {
  const [wanted, setWanted] = useState(false);
  const button = (
    <IconButton
      label={`Actions for ${deployment.name}`}
      icon={<Ellipsis aria-hidden className="size-4" />}
      className="relative z-10"
      aria-haspopup="menu"
      onClick={wanted ? undefined : () => setWanted(true)}
    />
  );
  return wanted ? <OpenRowMenu deployment={deployment} trigger={button} /> : button;
}

function OpenRowMenu({ deployment, trigger }: { deployment: Deployment; trigger: ReactNode }) {
  const navigate = useNavigate();
  const run = useRunWithToast();
  const { may } = useTeam();
  const { teamId, name, url } = deployment;
  return (
    <Menu defaultOpen trigger={trigger}>
      <MenuItem onSelect={() => navigate(paths.deployment(teamId, name))}>Open</MenuItem>
      {url && <MenuItem onSelect={() => window.open(url, '_blank', 'noreferrer')}>Open the address</MenuItem>}
      {deployment.permissions.includes('deployment:logs') && (
        <MenuItem onSelect={() => navigate(paths.deployment(teamId, name, 'logs'))}>Logs</MenuItem>
      )}
      <MenuItem onSelect={() => navigate(paths.deployment(teamId, name, 'history'))}>History</MenuItem>
      <MenuLine />
      {possibleActions(deployment).map((action) => (
        <MenuItem key={action.id} onSelect={() => void run(deployment, action.id)}>
          {action.label}
        </MenuItem>
      ))}
      {mayChange(deployment) && deployment.services.some((each) => !isReplaced(each)) && (
        <MenuItem onSelect={() => navigate(paths.dialog(teamId, name, 'scale'))}>Scale…</MenuItem>
      )}
      {may('deployment:create') && (
        <MenuItem onSelect={() => navigate(paths.dialog(teamId, name, 'clone'))}>Clone…</MenuItem>
      )}
      {mayDelete(deployment) && (
        <>
          <MenuLine />
          <MenuItem danger onSelect={() => navigate(paths.deleteDeployment(teamId, name))}>
            Delete…
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
