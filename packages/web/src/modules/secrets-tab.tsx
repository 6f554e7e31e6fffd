import type { Parameter } from '@berth/core/parameter';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { templateQuery } from '../api/queries/template.ts';
import { Button } from '../components/button.tsx';
import { Panel } from '../components/panel.tsx';
import { StateDot } from '../components/state-dot.tsx';
import type { DeploymentTabProps } from './deployment-tabs.tsx';
import { ReplaceSecretDialog } from './replace-secret-dialog.tsx';

/** Names of secrets; values go in and never come out. */
export function SecretsTab({ team, deployment }: Pick<DeploymentTabProps, 'team' | 'deployment'>) {
  const mayWrite = team.permissions.includes('secret:write');
  const { template, permissions, secrets } = deployment;
  const query = useQuery({
    ...templateQuery(deployment.teamId, template?.name ?? '', template?.version),
    enabled: template !== undefined,
  });
  const [replacing, setReplacing] = useState<string>();
  const mayReplace = mayWrite && permissions.includes('deployment:update') && template !== undefined;
  const parameterOf = (key: string) =>
    query.data?.parameters.find(
      (each): each is Extract<Parameter, { type: 'secret' }> => each.name === key && each.type === 'secret',
    );
  return (
    <>
      <p className="mb-3 max-w-[70ch] text-muted text-pretty">
        Values are stored encrypted, reach only the services that name them, and are never shown again. Replacing one
        restarts those services.
      </p>
      <Panel>
        <table className="data-table">
          <caption className="sr-only">Secrets of {deployment.name}</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">For</th>
              <th scope="col">Value</th>
              <th scope="col">
                <span className="sr-only">Replace</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {secrets.map(({ key, set }) => (
              <tr key={key}>
                <td data-narrow="title" className="mono">
                  {key}
                </td>
                <td data-narrow="detail" className="text-muted">
                  {parameterOf(key)?.label ?? '–'}
                </td>
                <td data-narrow="state">
                  <StateDot tone={set ? 'ok' : 'bad'}>{set ? 'Set' : 'Not set'}</StateDot>
                </td>
                <td data-narrow="end" data-align="right">
                  {mayReplace && (
                    <Button
                      look="ghost"
                      onClick={() => setReplacing(key)}
                      aria-label={`${set ? 'Replace' : 'Set'} ${key}`}
                    >
                      {set ? 'Replace' : 'Set'}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
      {replacing !== undefined && (
        <ReplaceSecretDialog
          deployment={deployment}
          secretKey={replacing}
          parameter={parameterOf(replacing)}
          onClose={() => setReplacing(undefined)}
        />
      )}
    </>
  );
}
