import type { Deployment } from '@berth/core/deployment';
import { useQuery } from '@tanstack/react-query';
import { configQuery } from '../api/queries/account.ts';
import { templateQuery } from '../api/queries/template.ts';
import { Banner } from '../components/banner.tsx';
import { ButtonLink } from '../components/button.tsx';
import { Panel } from '../components/panel.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { AddressesPanel } from './addresses-panel.tsx';
import { mayDelete } from './deployment-actions.ts';
import { ErrorPanel } from './error-panel.tsx';
import { paths } from './paths.ts';
import { SettingsForm } from './settings-form.tsx';
import { useUrlState } from './use-url-state.ts';

export function SettingsTab({ deployment }: { deployment: Deployment }) {
  const { template, permissions } = deployment;
  const [asked, setVersion] = useUrlState('version', template?.version);
  const query = useQuery({
    ...templateQuery(deployment.teamId, template?.name ?? '', asked),
    enabled: template !== undefined,
  });
  const newest = useQuery({
    ...templateQuery(deployment.teamId, template?.name ?? ''),
    enabled: template !== undefined,
  });
  const config = useQuery(configQuery);
  const mayEdit = permissions.includes('deployment:update') && deployment.desired !== 'deleted';
  const formShown = config.data !== undefined && (query.data !== undefined || !template) && mayEdit;
  const danger = mayDelete(deployment) && <Danger deployment={deployment} />;
  return (
    <div className="flex flex-col gap-3.5">
      {!mayEdit && (
        <Banner tone="neutral" title="You may look, but not change this deployment">
          An admin of the team or of its organization can make you a developer.
        </Banner>
      )}
      {!template && (
        <Banner tone="neutral" title="Made with kubectl">
          It came from no template, so there is no form for its values. Change it where it was made.
        </Banner>
      )}
      {query.error && !query.data && (
        <ErrorPanel what="The template" error={query.error} retry={() => void query.refetch()} />
      )}
      {template && !query.data && !query.error && (
        <Panel>
          <SkeletonRows rows={4} label="Loading the settings" />
        </Panel>
      )}
      {formShown && config.data && (
        <SettingsForm
          // Another version asks other questions: the form starts anew with what is set.
          key={asked}
          deployment={deployment}
          parameters={query.data?.parameters ?? []}
          exposed={query.data?.exposed ?? deployment.host !== undefined}
          domain={config.data.domain}
          version={query.data?.version}
          versions={newest.data?.versions ?? []}
          onVersion={setVersion}
          // The version is the running one now: the address need not name it.
          onSaved={() => setVersion(query.data?.version ?? '')}
        >
          {deployment.host !== undefined && (
            <div className="mt-8">
              <AddressesPanel deployment={deployment} domain={config.data.domain} />
            </div>
          )}
          {danger}
        </SettingsForm>
      )}
      {!formShown && danger}
    </div>
  );
}

function Danger({ deployment }: { deployment: Deployment }) {
  return (
    <section aria-labelledby="danger" className="mt-8 rounded-panel border border-bad/50 px-3.5 py-3">
      <h2 id="danger" className="font-semibold">
        Delete {deployment.name}
      </h2>
      <p className="mt-0.5 mb-3 text-muted text-pretty">
        Takes its services, volumes, secrets, address and history with it. The next page lists them before anything
        happens.
      </p>
      <ButtonLink look="danger" to={paths.deleteDeployment(deployment.teamId, deployment.name)}>
        Delete…
      </ButtonLink>
    </section>
  );
}
