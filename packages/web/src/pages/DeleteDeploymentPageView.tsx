import type { DeploymentRemoval } from '@berth/core/deployment';
import type { Team } from '@berth/core/tenant';
import { Container, Globe, HardDrive, History, KeyRound, type LucideIcon } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { messageOf } from '../api/problem.ts';
import { Banner } from '../components/banner.tsx';
import { Button, ButtonLink } from '../components/button.tsx';
import { Field, Input } from '../components/field.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Panel } from '../components/panel.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { ErrorPanel } from '../modules/error-panel.tsx';
import { paths } from '../modules/paths.ts';

type Item = DeploymentRemoval['items'][number];
const KINDS: Record<Item['kind'], { word: string; icon: LucideIcon }> = {
  service: { word: 'Service', icon: Container },
  volume: { word: 'Volume', icon: HardDrive },
  secret: { word: 'Secret', icon: KeyRound },
  address: { word: 'Address', icon: Globe },
  history: { word: 'History', icon: History },
};

export function DeleteDeploymentPageView(props: {
  team: Team;
  name: string;
  items: readonly Item[] | undefined;
  error: Error | undefined;
  retry: () => void;
  failure: Error | undefined;
  pending: boolean;
  onDelete: () => void;
}) {
  const { team, name, items, error, retry, failure, pending, onDelete } = props;
  const [typed, setTyped] = useState('');
  const confirmed = typed.trim() === name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (confirmed && !pending) onDelete();
  };
  return (
    <>
      <PageHeader
        title={`Delete ${name}`}
        place={team.name}
        before={
          <>
            <Link to={paths.deployments(team.id)} className="text-muted hover:text-text">
              Deployments /
            </Link>
            <Link to={paths.deployment(team.id, name)} className="text-muted hover:text-text">
              {name} /
            </Link>
          </>
        }
      />
      <div className="flex max-w-[560px] flex-col gap-4">
        <p className="text-pretty">
          This goes for good. Nothing of it can be brought back, also not by an administrator.
        </p>
        {error && <ErrorPanel what="What would go" error={error} retry={retry} />}
        {!error && (
          <Panel title="What will be gone" count={items?.length}>
            {!items && <SkeletonRows rows={4} label="Loading what would go" />}
            <ul>
              {items?.map(({ kind, name: what, detail }) => {
                const { word, icon: Icon } = KINDS[kind];
                return (
                  <li
                    key={`${kind} ${what}`}
                    className="grid grid-cols-[16px_60px_minmax(0,1fr)] items-baseline gap-x-2.5 border-b border-line px-3.5 py-2 last:border-0"
                  >
                    <Icon aria-hidden className="size-4 translate-y-[3px] text-muted" strokeWidth={1.75} />
                    <span className="text-muted">{word}</span>
                    <span className="grid gap-x-3 wrap-anywhere phone:grid-cols-[150px_minmax(0,1fr)]">
                      <span className="font-medium">{what}</span>
                      <span className="text-muted">{detail}</span>
                    </span>
                  </li>
                );
              })}
            </ul>
          </Panel>
        )}
        {failure && (
          <Banner tone="bad" title={messageOf(failure)}>
            Nothing was deleted.
          </Banner>
        )}
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field id="confirm-name" label={`Type ${name} to confirm`}>
            {(control) => (
              <Input
                {...control}
                autoComplete="off"
                spellCheck={false}
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </Field>
          <div className="flex gap-2">
            <Button type="submit" look="danger" pending={pending} disabled={!confirmed || !items}>
              Delete {name}
            </Button>
            <ButtonLink look="ghost" to={paths.deployment(team.id, name)}>
              Cancel
            </ButtonLink>
          </div>
        </form>
      </div>
    </>
  );
}
