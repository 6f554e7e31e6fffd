import type { Deployment, Usage } from '@berth/core/deployment';
import { formatBytes, formatCores } from '@berth/core/quantity';
import { MAX_REPLICAS } from '@berth/core/service';
import { useQuery } from '@tanstack/react-query';
import { Minus, Plus } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import { usageQuery } from '../api/queries/team.ts';
import { Banner } from '../components/banner.tsx';
import { Button, IconButton } from '../components/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { useFeedback } from '../components/feedback.tsx';
import { Field, Input, Select } from '../components/field.tsx';
import { Meter } from '../components/meter.tsx';
import { isReplaced } from './deployment-actions.ts';
import type { DeploymentDialogProps } from './deployment-dialogs.tsx';
import { useChange } from './use-deployment-actions.ts';
import { useDialogChange } from './use-dialog-change.ts';

type Service = Deployment['services'][number];

/** How many pods a service has, with what that takes of the plan. */
export function ScaleDialog({ deployment, subject, onClose }: DeploymentDialogProps) {
  const scalable = deployment.services.filter((each) => !isReplaced(each));
  const [name, setName] = useState(subject.of ?? scalable[0]?.name);
  const service = deployment.services.find((each) => each.name === name) ?? scalable[0];
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={service ? `Scale ${service.name}` : 'Scale'}
      description="An edit of the settings keeps this number."
    >
      {service ? (
        <ScaleForm key={service.name} deployment={deployment} service={service} onClose={onClose}>
          {scalable.length > 1 && !subject.of && (
            <Field id="scale-service" label="Service">
              {(control) => (
                <Select {...control} value={service.name} onChange={(event) => setName(event.target.value)}>
                  {scalable.map((each) => (
                    <option key={each.name}>{each.name}</option>
                  ))}
                </Select>
              )}
            </Field>
          )}
        </ScaleForm>
      ) : (
        <DialogBody>
          <p>Every service of {deployment.name} has a volume, which only one pod can mount.</p>
        </DialogBody>
      )}
    </Dialog>
  );
}

function ScaleForm(props: {
  deployment: Deployment;
  service: Service;
  onClose: () => void;
  children: React.ReactNode;
}) {
  const { deployment, service, onClose, children } = props;
  const now = service.desired;
  const [text, setText] = useState(String(now));
  const replicas = Number(text);
  const most = isReplaced(service) ? 1 : MAX_REPLICAS;
  const valid = text !== '' && Number.isInteger(replicas) && replicas >= 0 && replicas <= most;
  const { pending, failure, scale } = useScale(deployment, service, onClose);
  const step = (by: number) => setText(String(Math.min(most, Math.max(0, (valid ? replicas : now) + by))));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (valid && replicas !== now && !pending) void scale(replicas);
  };
  return (
    <form onSubmit={submit} noValidate className="contents">
      <DialogBody>
        {failure !== undefined && (
          <Banner takesFocus tone="bad" title={messageOf(failure)}>
            Nothing was changed.
          </Banner>
        )}
        {children}
        <Field
          id="scale-replicas"
          label="Pods"
          error={
            valid
              ? undefined
              : most === 1
                ? 'A service with a volume runs as one pod: write 0 or 1.'
                : `Write a number from 0 to ${MAX_REPLICAS}.`
          }
          help={replicas === 0 && valid ? `No pods: ${service.name} answers nothing.` : `${now} now.`}
        >
          {(control) => (
            <div className="flex items-center gap-1.5">
              <IconButton
                look="secondary"
                label="One less"
                disabled={valid && replicas <= 0}
                icon={<Minus aria-hidden className="size-3.5" />}
                onClick={() => step(-1)}
              />
              <Input
                {...control}
                inputMode="numeric"
                autoComplete="off"
                className="numeric w-16! text-center"
                value={text}
                onChange={(event) => setText(event.target.value.trim())}
                onKeyDown={(event) => {
                  if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
                  event.preventDefault();
                  step(event.key === 'ArrowUp' ? 1 : -1);
                }}
              />
              <IconButton
                look="secondary"
                label="One more"
                disabled={valid && replicas >= most}
                icon={<Plus aria-hidden className="size-3.5" />}
                onClick={() => step(1)}
              />
            </div>
          )}
        </Field>
        <PlanUse teamId={deployment.teamId} service={service} more={valid ? replicas - now : 0} />
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" pending={pending} disabled={!valid || replicas === now}>
          {valid && replicas !== now ? `Scale to ${replicas}` : 'Scale'}
        </Button>
      </DialogActions>
    </form>
  );
}

function useScale(deployment: Deployment, service: Service, onDone: () => void) {
  const change = useChange();
  const { toast } = useFeedback();
  const asked = useRef(service.desired);
  const { id } = deployment;
  const before = service.desired;
  const wish = (replicas: number) => ({
    id,
    doing: `Scaling ${service.name} to ${replicas}`,
    work: () => call('scaleService', { params: { id }, body: { service: service.name, replicas } }),
  });
  const undo = async () => {
    try {
      await change(wish(before));
    } catch (error) {
      toast({ tone: 'bad', text: `Could not scale ${service.name} back to ${before}: ${messageOf(error)}` });
    }
  };
  const { pending, failure, run } = useDialogChange(() => {
    const text = `Scaling ${service.name} to ${asked.current}`;
    toast({ tone: 'ok', text, action: { label: 'Undo', run: () => void undo() } });
    onDone();
  });
  const scale = (replicas: number) => {
    asked.current = replicas;
    return run(wish(replicas));
  };
  return { pending, failure, scale };
}

/** What the team uses of its plan, and would with these pods. */
function PlanUse({ teamId, service, more }: { teamId: string; service: Service; more: number }) {
  const usage = useQuery(usageQuery(teamId)).data;
  const { requests } = service;
  if (!usage || !requests) return undefined;
  const lines = [
    planLine('CPU', usage.cpu, { more: requests.cpu * more, format: formatCores, unit: ' cores' }),
    planLine('Memory', usage.memory, { more: requests.memory * more, format: formatBytes, unit: '' }),
  ];
  return (
    <div className="grid gap-2.5 rounded-control bg-sunken px-3 py-2.5">
      <dl className="grid gap-2.5">
        {lines.map(({ label, used, allowed, words, over }) => (
          <div key={label} className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-1">
            <dt className="text-muted">{label} of the plan</dt>
            <dd className={over ? 'numeric font-medium text-bad' : 'numeric'}>{words}</dd>
            {allowed !== undefined && (
              <dd className="col-span-2">
                <Meter label={`${label} of the plan`} used={used} allowed={allowed} />
              </dd>
            )}
          </div>
        ))}
      </dl>
      {lines.some((each) => each.over) && (
        <p className="text-bad">More than the plan allows. Stop or scale down something first.</p>
      )}
    </div>
  );
}

interface LineOptions {
  more: number;
  format: (amount: number) => string;
  unit: string;
}

function planLine(label: string, of: Usage['cpu'], { more, format, unit }: LineOptions) {
  const used = Math.max(0, of.used + more);
  const allowed = of.allowed;
  const change = more === 0 ? '' : ` (${more > 0 ? '+' : '−'}${format(Math.abs(more))})`;
  const words = `${format(used)}${allowed === undefined ? '' : ` of ${format(allowed)}`}${unit}${change}`;
  return { label, used, allowed, words, over: allowed !== undefined && used > allowed && more > 0 };
}
