import type { Deployment } from '@berth/core/deployment';
import { LogsView } from './logs-view.tsx';
import { useLogLines } from './use-log-lines.ts';
import { useUrlState } from './use-url-state.ts';

export function LogsTab({ deployment }: { deployment: Deployment }) {
  const services = deployment.services.map((each) => each.name);
  const worst = deployment.services.find((each) => each.state === 'Failing')?.name ?? services[0] ?? '';
  const [asked, setService] = useUrlState('service');
  const [line, setLine] = useUrlState('line');
  const service = services.includes(asked) ? asked : worst;
  const stream = useLogLines(deployment.id, service);
  return (
    <LogsView
      key={service}
      stream={stream}
      deployment={deployment.name}
      services={services}
      service={service}
      onService={setService}
      line={line}
      onLine={setLine}
    />
  );
}
