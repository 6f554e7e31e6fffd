import type { Team } from '@berth/core/tenant';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import { forgetTemplates } from '../api/queries/template.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { useFeedback } from '../components/feedback.tsx';
import { paths } from './paths.ts';

/** Takes a template out of the catalogue, after saying what stays. */
export function RetireTemplateDialog(props: {
  team: Team;
  name: string;
  deployments: readonly string[];
  open: boolean;
  onClose: () => void;
}) {
  const { team, name, deployments, open, onClose } = props;
  const client = useQueryClient();
  const navigate = useNavigate();
  const { toast } = useFeedback();
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const retire = async () => {
    setPending(true);
    setFailure(undefined);
    try {
      await call('deleteTemplate', { params: { name }, query: { team: team.id } });
      toast({ tone: 'ok', text: `${name} is out of the catalogue.` });
      // First away from its page, which would ask for it again.
      await navigate(paths.catalogue(team.id));
      await forgetTemplates(client, team.id);
    } catch (error) {
      setFailure(error);
      setPending(false);
    }
  };
  return (
    <Dialog open={open} onOpenChange={(next) => !next && onClose()} title={`Retire ${name}?`}>
      <DialogBody>
        <p>Nobody can deploy it any more. {deployedWords(deployments)}</p>
        <p>Its versions stay, and saving a newer one brings it back.</p>
        {failure !== undefined && <Banner tone="bad" title={messageOf(failure)} />}
      </DialogBody>
      <DialogActions>
        <Button look="ghost" onClick={onClose}>
          Cancel
        </Button>
        <Button look="danger" pending={pending} onClick={retire}>
          Retire
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function deployedWords(names: readonly string[]): string {
  if (names.length === 0) return 'Nothing is deployed from it now.';
  const shown = names.slice(0, 5).join(', ');
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return `What is deployed from it goes on, and can still be changed: ${shown}${more}.`;
}
