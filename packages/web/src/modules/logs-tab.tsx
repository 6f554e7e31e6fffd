import { useEffect, useMemo, useState } from 'react';
import { urlOf } from '../api/client.ts';
import type { DeploymentTabProps } from './deployment-tabs.tsx';
import { logQuery, useLogChoice } from './log-choice.ts';
import { LogsView } from './logs-view.tsx';
import { useLogLines } from './use-log-lines.ts';

/** The logs of a deployment: all of its services or one, as the address says. */
export function LogsTab({ deployment }: Pick<DeploymentTabProps, 'deployment'>) {
  const { id } = deployment;
  const names = useNames(deployment);
  const [choice, change] = useLogChoice(names);
  // What one points at later is on the page already: only the line that one came with decides how far back is read.
  const [cameWith, setCameWith] = useState(choice.line);
  useEffect(() => {
    if (choice.line === '') setCameWith('');
  }, [choice.line]);
  const query = logQuery(choice, cameWith);
  const stream = useLogLines(id, query);
  const { tail: _, ...wanted } = query;
  return (
    <LogsView
      stream={stream}
      deployment={deployment.name}
      services={names}
      choice={choice}
      onChoice={change}
      downloadUrl={urlOf('downloadLogs', { params: { id }, query: wanted })}
    />
  );
}

/** The same list while its names are the same, whatever else of the deployment changes. */
function useNames({ services, jobs }: DeploymentTabProps['deployment']): string[] {
  const names = [...services, ...jobs].map(({ name }) => name).join(',');
  return useMemo(() => names.split(','), [names]);
}
