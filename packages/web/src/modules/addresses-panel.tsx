import type { Deployment } from '@berth/core/deployment';
import { ArrowUpRight, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { call } from '../api/client.ts';
import { isProblem, messageOf } from '../api/problem.ts';
import { Button, IconButton } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { useFeedback } from '../components/feedback.tsx';
import { Field, Input } from '../components/field.tsx';
import { Panel, Tag } from '../components/panel.tsx';
import { ADDRESS_LOOK } from './deployment-address.tsx';
import { takenOf } from './use-deploy.ts';
import { useChange } from './use-deployment-actions.ts';
import { useUpdatePreview } from './use-update-preview.ts';
import { WithOffer } from './with-offer.tsx';

const MOST_ALIASES = 5;

/** Where it answers: the main address, those that were added, and those that the template brings. */
export function AddressesPanel({ deployment, domain }: { deployment: Deployment; domain: string }) {
  const { addresses, aliases, host } = deployment;
  const { save, pending } = useAliases(deployment);
  const services = new Set(addresses.map((each) => each.service));
  return (
    <Panel title="Addresses" count={addresses.length}>
      <ul>
        {addresses.map((each) => (
          <li key={each.host} className="row-height flex items-center gap-2 border-b border-line px-3.5">
            <a href={each.url} target="_blank" rel="noreferrer" className={ADDRESS_LOOK}>
              <span className="truncate">{each.host}</span>
              <ArrowUpRight aria-hidden className="size-3 shrink-0" />
              <span className="sr-only"> (opens in a new tab)</span>
            </a>
            {each.host === host && <Tag>main</Tag>}
            {services.size > 1 && <span className="truncate text-faint">{each.service}</span>}
            <span className="-mr-2 ml-auto flex">
              <CopyButton text={each.url} label={`Copy the address ${each.host}`} />
              {aliases.includes(each.host) && (
                <IconButton
                  label={`Remove ${each.host}`}
                  icon={<X aria-hidden className="size-4" />}
                  disabled={pending}
                  onClick={() =>
                    void save(
                      aliases.filter((alias) => alias !== each.host),
                      `Removed ${each.host}`,
                    )
                  }
                />
              )}
            </span>
          </li>
        ))}
      </ul>
      <AddAddress
        deployment={deployment}
        domain={domain}
        pending={pending}
        onAdd={(added) => save([...aliases, added], undefined)}
      />
    </Panel>
  );
}

function AddAddress(props: {
  deployment: Deployment;
  domain: string;
  pending: boolean;
  onAdd: (host: string) => Promise<boolean>;
}) {
  const { deployment, domain, pending, onAdd } = props;
  const { aliases, id } = deployment;
  const [text, setText] = useState('');
  const full = aliases.length >= MOST_ALIASES;
  const { problem, stale, preview } = useUpdatePreview(id, text === '' ? undefined : { aliases: [...aliases, text] });
  const taken = takenOf(problem);
  const wrong = taken?.message ?? (problem && problemWords(problem));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (text === '' || wrong !== undefined || pending) return;
    if (await onAdd(text)) setText('');
  };
  if (full) {
    return (
      <p className="px-3.5 py-3 text-muted">{MOST_ALIASES} addresses were added; more do not fit. Remove one first.</p>
    );
  }
  return (
    <form onSubmit={submit} noValidate className="px-3.5 py-3">
      <Field
        id="add-address"
        label="Add an address"
        error={wrong && <WithOffer error={wrong} offer={taken?.free} onTake={setText} />}
        help={
          wrong === undefined &&
          (text === ''
            ? `A name under .${domain}, or a whole host whose DNS points here.`
            : stale
              ? 'Checking…'
              : preview
                ? `${text.includes('.') ? text : `${text}.${domain}`} is free.`
                : undefined)
        }
      >
        {(control) => (
          <div className="flex gap-2">
            <Input
              {...control}
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value.trim())}
            />
            <Button type="submit" pending={pending} disabled={text === '' || wrong !== undefined}>
              Add
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}

/** Saves all aliases at once, as the contract wants them; what was removed can be brought back. */
function useAliases(deployment: Deployment) {
  const change = useChange();
  const { toast } = useFeedback();
  const [pending, setPending] = useState(false);
  const { id, name, aliases: before } = deployment;
  const ask = (aliases: readonly string[]) =>
    change({
      id,
      doing: 'Changing addresses',
      work: () => call('updateDeployment', { params: { id }, body: { aliases: [...aliases] } }),
    });
  const fail = (error: unknown) =>
    toast({ tone: 'bad', text: `Could not change the addresses of ${name}: ${messageOf(error)}` });
  const save = async (aliases: readonly string[], removed: string | undefined): Promise<boolean> => {
    setPending(true);
    try {
      await ask(aliases);
      const undo = { label: 'Undo', run: () => void ask(before).catch(fail) };
      if (removed) toast({ tone: 'ok', text: removed, action: undo });
      return true;
    } catch (error) {
      fail(error);
      return false;
    } finally {
      setPending(false);
    }
  };
  return { save, pending };
}

function problemWords(problem: Error): string {
  const field = isProblem(problem) ? problem.problem.fields?.[0] : undefined;
  return field ? `It ${field.message}` : problem.message;
}
