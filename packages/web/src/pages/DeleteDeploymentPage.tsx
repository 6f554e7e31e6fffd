import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { call } from '../api/client.ts';
import { removalQuery, takeAnswer } from '../api/queries/deployment.ts';
import { SkeletonRows } from '../components/skeleton.tsx';
import { mayDelete } from '../modules/deployment-actions.ts';
import { useLive } from '../modules/live-provider.tsx';
import { paths } from '../modules/paths.ts';
import { useTeam } from '../modules/team-context.ts';
import { DeleteDeploymentPageView } from './DeleteDeploymentPageView.tsx';
import { NotFoundPage } from './NotFoundPage.tsx';

export function DeleteDeploymentPage() {
  const { name = '' } = useParams();
  const { team } = useTeam();
  const live = useLive(team.id);
  const client = useQueryClient();
  const navigate = useNavigate();
  const deployment = live.deployments.find((each) => each.name === name);
  const id = deployment?.id ?? '';
  const allowed = deployment !== undefined && mayDelete(deployment);
  const removal = useQuery({ ...removalQuery(id), enabled: allowed });
  const remove = useMutation({
    mutationFn: () => call('deleteDeployment', { params: { id } }),
    onSuccess: async (answer) => {
      takeAnswer(client, answer);
      await navigate(paths.deployment(team.id, name));
    },
  });
  if (!live.loaded) return <SkeletonRows label="Loading the deployment" />;
  // While it goes, the answer of our own delete makes it undeletable: that is not "not found".
  if (!deployment || (!allowed && !remove.isSuccess)) return <NotFoundPage what="deployment to delete" />;
  return (
    <DeleteDeploymentPageView
      team={team}
      name={name}
      items={removal.data}
      error={removal.error ?? undefined}
      retry={() => void removal.refetch()}
      failure={remove.error ?? undefined}
      pending={remove.isPending || remove.isSuccess}
      onDelete={() => remove.mutate()}
    />
  );
}
