import { ROLE_PERMISSIONS } from '@berth/core/permissions';
import { ChevronsUpDown, Plus } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Menu, MenuChoices, MenuItem, MenuLine } from '../components/menu.tsx';
import { NewOrganizationDialog } from './new-organization-dialog.tsx';
import { NewTeamDialog } from './new-team-dialog.tsx';
import { paths } from './paths.ts';
import { useTeam } from './team-context.ts';

export function TeamSwitcher() {
  const { me, team } = useTeam();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'team' | 'organization'>();
  const organizations = me.organizations.map((organization) => ({
    organization,
    teams: me.teams.filter((each) => each.organizationId === organization.id),
  }));
  const role = me.organizations.find((each) => each.id === team.organizationId)?.role;
  const mayMakeTeam = role !== undefined && ROLE_PERMISSIONS[role].includes('team:create');
  const close = () => setDialog(undefined);
  return (
    <>
      <Menu
        align="start"
        className="w-[250px]"
        trigger={
          <button
            type="button"
            className="flex min-w-0 items-center gap-2 rounded-control px-2 py-1.5 text-left transition-colors duration-100 hover:bg-sunken data-[state=open]:bg-sunken"
          >
            <TeamMark name={team.name} />
            <span className="min-w-0 flex-1">
              <span className="sr-only">Team </span>
              <span className="block truncate leading-4 font-semibold">{team.name}</span>
              <span className="block truncate text-[11px] leading-[14px] text-muted">{team.organizationName}</span>
            </span>
            <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-faint" />
          </button>
        }
      >
        {organizations
          .filter(({ teams }) => teams.length > 0)
          .map(({ organization, teams }) => (
            <MenuChoices
              key={organization.id}
              label={organization.name}
              value={team.id}
              onChange={(id) => navigate(paths.dashboard(id))}
              choices={teams.map((each) => ({ value: each.id, label: each.name }))}
            />
          ))}
        <MenuLine />
        {mayMakeTeam && (
          <MenuItem icon={<Plus aria-hidden className="size-3.5 text-muted" />} onSelect={() => setDialog('team')}>
            New team in {team.organizationName}
          </MenuItem>
        )}
        <MenuItem
          icon={<Plus aria-hidden className="size-3.5 text-muted" />}
          onSelect={() => setDialog('organization')}
        >
          New organization
        </MenuItem>
      </Menu>
      <NewTeamDialog open={dialog === 'team'} onClose={close} />
      <NewOrganizationDialog open={dialog === 'organization'} onClose={close} />
    </>
  );
}

function TeamMark({ name }: { name: string }) {
  return (
    <span
      aria-hidden
      className="grid size-[22px] shrink-0 place-items-center rounded-control bg-accent text-hint font-semibold text-on-accent"
    >
      {name.trim().charAt(0).toUpperCase()}
    </span>
  );
}
