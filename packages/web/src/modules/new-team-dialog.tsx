import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { call } from '../api/client.ts';
import { meQuery } from '../api/queries/account.ts';
import { NameDialog } from './name-dialog.tsx';
import { paths } from './paths.ts';
import { useTeam } from './team-context.ts';

export function NewTeamDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { team } = useTeam();
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <NameDialog
      open={open}
      onClose={onClose}
      title="New team"
      description={`A team has its own deployments, members and network in ${team.organizationName}.`}
      label="Team name"
      action="Make team"
      onSubmit={async (name) => {
        const { organizationId } = team;
        const made = await call('createTeam', { params: { organizationId }, body: { name } });
        await client.invalidateQueries({ queryKey: meQuery.queryKey });
        await navigate(paths.dashboard(made.id));
      }}
    />
  );
}
