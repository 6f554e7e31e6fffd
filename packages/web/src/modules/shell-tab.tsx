import type { Deployment } from '@berth/core/deployment';
import { grantersOf } from '@berth/core/permissions';
import { EmptyState } from '../components/empty-state.tsx';
import { Select } from '../components/field.tsx';
import type { DeploymentTabProps } from './deployment-tabs.tsx';
import { ShellView } from './shell-view.tsx';
import { useUrlState } from './use-url-state.ts';

/** Which service and which pod stand in the address, so that a link leads into the same place. */
export function ShellTab({ deployment }: DeploymentTabProps) {
  const services = deployment.services.map((each) => each.name);
  const [asked, setService] = useUrlState('service');
  const [pod, setPod] = useUrlState('pod');
  if (!deployment.permissions.includes('deployment:exec')) {
    return (
      <EmptyState title="Your role does not let you open shells">
        Ask {grantersOf('deployment:exec')}: developers of the team may.
      </EmptyState>
    );
  }
  const service = services.includes(asked) ? asked : firstToEnter(deployment);
  return (
    <ShellView
      key={`${service} ${pod}`}
      deployment={deployment}
      place={{ id: deployment.id, service, pod }}
      choice={
        <>
          <Select
            aria-label="Service"
            value={service}
            onChange={(event) => {
              setPod('');
              setService(event.target.value);
            }}
            className="h-[30px] max-wide:min-w-28 max-wide:flex-1 wide:w-36"
          >
            {services.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Select>
          {pod !== '' && (
            <Select
              aria-label="Pod"
              value={pod}
              onChange={(event) => setPod(event.target.value)}
              className="h-[30px] max-wide:min-w-0 max-wide:flex-1 wide:w-56"
            >
              <option value="">Any pod that is ready</option>
              <option>{pod}</option>
            </Select>
          )}
        </>
      }
      onKeepPod={pod === '' ? setPod : undefined}
    />
  );
}

function firstToEnter({ services }: Deployment): string {
  return (services.find(({ ready }) => ready > 0) ?? services[0])?.name ?? '';
}
