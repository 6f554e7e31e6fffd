import { TEAM_ROLES, type TeamRole } from '@berth/core/permissions';
import type { Member, Team } from '@berth/core/tenant';
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions } from '../components/dialog.tsx';
import { Select } from '../components/field.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Panel, Tag } from '../components/panel.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { AddMemberDialog } from '../modules/add-member-dialog.tsx';
import { ErrorPanel } from '../modules/error-panel.tsx';
import { TEAM_ROLE_WORDS } from '../modules/roles.ts';

export interface MembersPageViewProps {
  team: Team;
  userId: string;
  mayChange: boolean;
  members: readonly Member[] | undefined;
  error: Error | undefined;
  retry: () => void;
  pendingId: string | undefined;
  onAdd: (email: string, role: TeamRole) => Promise<void>;
  onRole: (userId: string, role: TeamRole) => void;
  onRemove: (userId: string) => void;
}

export function MembersPageView(props: MembersPageViewProps) {
  const { team, mayChange, members, error, retry, onAdd } = props;
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Member>();
  return (
    <>
      <PageHeader
        title="Members"
        place={team.name}
        actions={
          mayChange && (
            <Button look="primary" onClick={() => setAdding(true)}>
              Add member
            </Button>
          )
        }
      />
      {error && !members && <ErrorPanel what="The members" error={error} retry={retry} />}
      {(members || !error) && (
        <Panel>
          {!members && <SkeletonRows rows={3} label="Loading members" />}
          {members && (
            <table className="data-table">
              <caption className="sr-only">Members of {team.name}</caption>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">E-mail</th>
                  <th scope="col">Role</th>
                  <th scope="col">
                    <span className="sr-only">Remove</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {members.map((member) => (
                  <MemberRow key={member.userId} {...props} member={member} onAskRemove={() => setRemoving(member)} />
                ))}
              </tbody>
            </table>
          )}
        </Panel>
      )}
      <dl className="mt-4 grid max-w-[70ch] gap-1 text-muted">
        {TEAM_ROLES.map((role) => (
          <div key={role}>
            <dt className="inline font-medium text-text">{TEAM_ROLE_WORDS[role].label}: </dt>
            <dd className="inline">{TEAM_ROLE_WORDS[role].may}</dd>
          </div>
        ))}
      </dl>
      <AddMemberDialog open={adding} onClose={() => setAdding(false)} onAdd={onAdd} />
      <Dialog
        open={removing !== undefined}
        onOpenChange={(open) => !open && setRemoving(undefined)}
        title={`Remove ${removing?.email ?? ''}`}
        description="They lose sight of everything in this team at once. What they deployed stays: it belongs to the team."
      >
        <div className="h-4" />
        <DialogActions>
          <Button onClick={() => setRemoving(undefined)}>Cancel</Button>
          <Button
            look="danger"
            onClick={() => {
              if (removing) props.onRemove(removing.userId);
              setRemoving(undefined);
            }}
          >
            Remove from the team
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}

function MemberRow(props: MembersPageViewProps & { member: Member; onAskRemove: () => void }) {
  const { member, userId, mayChange, pendingId, onRole, onAskRemove } = props;
  const pending = pendingId === member.userId;
  return (
    <tr>
      <td data-narrow="title" className="font-medium">
        <span className="mr-2">{member.name || member.email}</span>
        {member.userId === userId && <Tag>you</Tag>}
      </td>
      <td data-narrow="detail" className="truncate text-muted">
        {member.email}
      </td>
      <td data-narrow="state" className="wide:w-44">
        {mayChange ? (
          <Select
            aria-label={`Role of ${member.email}`}
            value={member.role}
            disabled={pending}
            onChange={(event) => onRole(member.userId, event.target.value as TeamRole)}
            className="h-[30px] w-32"
          >
            {TEAM_ROLES.map((role) => (
              <option key={role} value={role}>
                {TEAM_ROLE_WORDS[role].label}
              </option>
            ))}
          </Select>
        ) : (
          TEAM_ROLE_WORDS[member.role].label
        )}
      </td>
      <td data-narrow="end" data-align="right" className="wide:w-28">
        {mayChange && (
          <Button
            look="ghost"
            pending={pending}
            onClick={onAskRemove}
            aria-label={`Remove ${member.email}`}
            className="-mr-[11px]"
          >
            Remove
          </Button>
        )}
      </td>
    </tr>
  );
}
