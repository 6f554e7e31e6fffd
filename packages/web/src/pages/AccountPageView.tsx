import type { Token, User } from '@berth/core/tenant';
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions } from '../components/dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Panel } from '../components/panel.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { ErrorPanel } from '../modules/error-panel.tsx';
import { NewTokenDialog } from '../modules/new-token-dialog.tsx';
import { PasswordPanel } from '../modules/password-panel.tsx';

export interface AccountPageViewProps {
  user: User;
  tokens: readonly Token[] | undefined;
  error: Error | undefined;
  retry: () => void;
  revokingId: string | undefined;
  hasPassword: boolean;
  onRevoke: (id: string) => void;
  onMake: (name: string, expiresInDays: number | undefined) => Promise<string>;
  onChangePassword: (current: string, next: string) => Promise<void>;
}

export function AccountPageView(props: AccountPageViewProps) {
  const { user, tokens, error, retry, revokingId, hasPassword, onRevoke, onMake, onChangePassword } = props;
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Token>();
  const make = (
    <Button look="primary" onClick={() => setMaking(true)}>
      New token
    </Button>
  );
  return (
    <>
      <PageHeader title="Account" beside={<span className="text-muted">{user.email}</span>} />
      <div className="grid gap-3.5">
        <Panel title="API tokens" aside={tokens && tokens.length > 0 ? make : undefined}>
          {error && !tokens && (
            <div className="p-3.5">
              <ErrorPanel what="Your tokens" error={error} retry={retry} />
            </div>
          )}
          {!tokens && !error && <SkeletonRows rows={2} label="Loading tokens" />}
          {tokens?.length === 0 && (
            <EmptyState title="No tokens" action={make}>
              A token lets the berth command or a program act as you. It is shown once and can be revoked here.
            </EmptyState>
          )}
          {tokens && tokens.length > 0 && (
            <table className="data-table">
              <caption className="sr-only">Your API tokens</caption>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Made</th>
                  <th scope="col">Last used</th>
                  <th scope="col">Ends</th>
                  <th scope="col">
                    <span className="sr-only">Revoke</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {tokens.map((token) => (
                  <tr key={token.id}>
                    <td data-narrow="title" className="wide:max-w-[260px] truncate font-medium">
                      {token.name}
                    </td>
                    <td data-narrow="hide" className="text-muted">
                      <RelativeTime at={token.createdAt} ago />
                    </td>
                    <td data-narrow="detail" className="text-muted">
                      {token.lastUsedAt ? <RelativeTime at={token.lastUsedAt} ago /> : 'never used'}
                    </td>
                    <td data-narrow="hide" className="numeric text-muted">
                      {token.expiresAt
                        ? new Date(token.expiresAt).toLocaleDateString(undefined, { dateStyle: 'medium' })
                        : 'never'}
                    </td>
                    <td data-narrow="end" data-align="right">
                      <Button
                        look="ghost"
                        pending={revokingId === token.id}
                        onClick={() => setRevoking(token)}
                        aria-label={`Revoke ${token.name}`}
                      >
                        Revoke
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Panel>
        {hasPassword && <PasswordPanel onChange={onChangePassword} />}
      </div>
      <NewTokenDialog open={making} onClose={() => setMaking(false)} onMake={onMake} />
      <Dialog
        open={revoking !== undefined}
        onOpenChange={(open) => !open && setRevoking(undefined)}
        title={`Revoke ${revoking?.name ?? ''}`}
        description="Whatever uses this token is refused from now on. This cannot be undone."
      >
        <div className="h-4" />
        <DialogActions>
          <Button onClick={() => setRevoking(undefined)}>Cancel</Button>
          <Button
            look="danger"
            onClick={() => {
              if (revoking) onRevoke(revoking.id);
              setRevoking(undefined);
            }}
          >
            Revoke token
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
