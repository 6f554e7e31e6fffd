import type { Deployment } from '@berth/core/deployment';
import type { CurrentUse } from '@berth/core/metrics';
import { useQuery } from '@tanstack/react-query';
import { currentUseQuery } from '../api/queries/metrics.ts';

/** What each service of a deployment uses now; nothing where that is not measured. */
export function useCurrentUse({
  id,
  teamId,
}: Pick<Deployment, 'id' | 'teamId'>): (service: string) => CurrentUse | undefined {
  const { data = [] } = useQuery(currentUseQuery(teamId));
  return (service) => data.find((each) => each.deployment === id && each.service === service);
}
