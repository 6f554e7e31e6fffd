import type { Deployment } from '@berth/core/deployment';
import { nameSchema } from '@berth/core/names';
import type { Parameter } from '@berth/core/parameter';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../api/client.ts';
import { sentenceFor } from '../api/form-errors.ts';
import { idempotencyKeys } from '../api/idempotency.ts';
import { isProblem, messageOf } from '../api/problem.ts';
import { configQuery } from '../api/queries/account.ts';
import { previewQuery } from '../api/queries/deployment.ts';
import { templateQuery } from '../api/queries/template.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { useFeedback } from '../components/feedback.tsx';
import { Field, Input } from '../components/field.tsx';
import { useSettled } from '../components/use-settled.ts';
import type { DeploymentDialogProps } from './deployment-dialogs.tsx';
import { freeName } from './free-name.ts';
import { useLive } from './live-provider.tsx';
import { paths } from './paths.ts';
import { takenOf } from './use-deploy.ts';
import { useDialogChange } from './use-dialog-change.ts';
import { WithOffer } from './with-offer.tsx';

const CHECK_AFTER_MILLISECONDS = 300;

/** Another deployment like this one. What it takes along and what not stands there before it is made. */
export function CloneDialog({ deployment, onClose }: DeploymentDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Clone ${deployment.name}`}
      description="Another deployment with the same template, version and values."
    >
      <CloneForm deployment={deployment} onClose={onClose} />
    </Dialog>
  );
}

function CloneForm({ deployment, onClose }: Pick<DeploymentDialogProps, 'deployment' | 'onClose'>) {
  const navigate = useNavigate();
  const { toast } = useFeedback();
  const { deployments } = useLive(deployment.teamId);
  const taken = useMemo(() => new Set(deployments.map((each) => each.name)), [deployments]);
  const [name, setName] = useState(() => freeName(deployment.name, taken));
  const [host, setHost] = useState('');
  const [made, setMade] = useState(false);
  const [keyFor] = useState(() => idempotencyKeys());
  const { pending, failure, run } = useDialogChange((answer) => {
    setMade(true);
    toast({ tone: 'ok', text: `Cloned ${deployment.name} to ${answer.name}` });
    void navigate(paths.deployment(answer.teamId, answer.name));
  });
  const domain = useQuery(configQuery).data?.domain;
  const check = useCloneCheck(deployment, { name, host });
  const refused = takenOf(failure) ?? (made ? undefined : takenOf(check));
  const onHost = refused && (refused.field === 'host' || host !== '') ? refused : undefined;
  const nameProblem = made ? undefined : (wrongName(name, taken) ?? (onHost ? undefined : refused?.message));
  const offer = taken.has(name) ? freeName(name, taken) : refused?.free;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (nameProblem) return;
    const { id } = deployment;
    const body = { name, ...(host !== '' && { host }) };
    const work = () => call('cloneDeployment', { params: { id }, body, idempotencyKey: keyFor(body) });
    void run({ id, doing: 'Cloning', work });
  };
  return (
    <form onSubmit={submit} noValidate className="contents">
      <DialogBody>
        {failure !== undefined && !takenOf(failure) && (
          <Banner takesFocus tone="bad" title={messageOf(failure)}>
            Nothing was made.
          </Banner>
        )}
        <Field
          id="clone-name"
          label="Name"
          error={nameProblem && <WithOffer error={nameProblem} offer={offer} onTake={setName} />}
        >
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              spellCheck={false}
              value={name}
              onChange={(event) => setName(event.target.value.trim())}
            />
          )}
        </Field>
        {deployment.host !== undefined && (
          <Field
            id="clone-host"
            label="Address"
            optional
            error={onHost && <WithOffer error={onHost.message} offer={onHost.free} onTake={setHost} />}
            help={domain && `Answers at ${host.includes('.') ? host : `${host || name}.${domain}`}.`}
          >
            {(control) => (
              <Input
                {...control}
                autoComplete="off"
                spellCheck={false}
                placeholder={name}
                value={host}
                onChange={(event) => setHost(event.target.value.trim())}
              />
            )}
          </Field>
        )}
        <Taken deployment={deployment} />
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" pending={pending} disabled={nameProblem !== undefined}>
          Clone
        </Button>
      </DialogActions>
    </form>
  );
}

function Taken({ deployment }: { deployment: Deployment }) {
  const volumes = deployment.services.flatMap((each) => each.volumes.map((volume) => `${each.name}/${volume.name}`));
  const secrets = deployment.secrets.length;
  return (
    <ul className="grid list-disc gap-1 pl-4 text-pretty marker:text-faint">
      {volumes.length > 0 && (
        <li>
          Volumes begin empty: <span className="mono">{volumes.join(', ')}</span>. Nothing of the data is copied.
        </li>
      )}
      {secrets > 0 && (
        <li>{secrets === 1 ? 'Its secret is copied' : `Its ${secrets} secrets are copied`}, with today’s values.</li>
      )}
      <li>It takes one more deployment of the plan.</li>
    </ul>
  );
}

function wrongName(name: string, taken: ReadonlySet<string>): string | undefined {
  if (name === '') return 'Name is required.';
  const parsed = nameSchema.safeParse(name);
  if (!parsed.success) return sentenceFor('Name', parsed.error.issues[0]?.message ?? 'is not right');
  return taken.has(name) ? `This team has a deployment ${name} already.` : undefined;
}

/** Asks, when the typing pauses, what only the server knows: whether the address is free. */
function useCloneCheck(deployment: Deployment, { name, host }: { name: string; host: string }): unknown {
  const { template } = deployment;
  const query = useQuery({
    ...templateQuery(deployment.teamId, template?.name ?? '', template?.version),
    enabled: template !== undefined,
  });
  const body = useMemo(() => {
    if (!template || !query.data || !nameSchema.safeParse(name).success) return undefined;
    return {
      team: deployment.teamId,
      name,
      template: template.name,
      version: template.version,
      values: { ...deployment.values, ...standIns(query.data.parameters) },
      ...(host !== '' && { host }),
    };
  }, [template, query.data, name, host, deployment.teamId, deployment.values]);
  const settled = useSettled(body, CHECK_AFTER_MILLISECONDS);
  const preview = useQuery(previewQuery(settled));
  return settled === body && isProblem(preview.error) ? preview.error : undefined;
}

/** No answer depends on a secret, so none is sent for one: something of the right length takes its place. */
function standIns(parameters: readonly Parameter[]): Record<string, string> {
  return Object.fromEntries(
    parameters.flatMap((each) =>
      each.type === 'secret' ? [[each.name, 'x'.repeat(Math.max(1, each.minLength ?? 0))] as const] : [],
    ),
  );
}
