import type { Deployment } from '@berth/core/deployment';
import type { ServiceStatus } from '@berth/core/user-deployment';
import { StateDot } from '../components/state-dot.tsx';
import { serviceStateOf, stateOf } from './deployment-state.ts';

/** `pending` is what `usePendingActions` says of it: lists ask once for all. */
export function StateBadge({ deployment, pending }: { deployment: Deployment; pending: string | undefined }) {
  const { tone, words, moving } = stateOf(deployment, pending);
  return (
    <StateDot tone={tone} moving={moving}>
      {words}
    </StateDot>
  );
}

export function ServiceStateBadge({ service }: { service: ServiceStatus }) {
  const { tone, words, moving } = serviceStateOf(service);
  return (
    <StateDot tone={tone} moving={moving}>
      {words}
    </StateDot>
  );
}
