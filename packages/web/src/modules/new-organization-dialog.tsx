import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { call } from '../api/client.ts';
import { meQuery } from '../api/queries/account.ts';
import { NameDialog } from './name-dialog.tsx';
import { paths } from './paths.ts';

export function NewOrganizationDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <NameDialog
      open={open}
      onClose={onClose}
      title="New organization"
      description="An organization has a plan of its own. It starts with one team."
      label="Organization name"
      action="Make organization"
      onSubmit={async (name) => {
        const made = await call('createOrganization', { body: { name } });
        await client.invalidateQueries({ queryKey: meQuery.queryKey });
        const team = client.getQueryData(meQuery.queryKey)?.teams.find((each) => each.organizationId === made.id);
        if (team) await navigate(paths.dashboard(team.id));
      }}
    />
  );
}
