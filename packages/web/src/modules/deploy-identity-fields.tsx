import { nameSchema, slug } from '@berth/core/names';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { fieldId, sentenceFor } from '../api/form-errors.ts';
import { Field, Input } from '../components/field.tsx';
import type { DeployForm } from './deploy-form.ts';
import { freeName } from './free-name.ts';
import type { Taken } from './use-deploy.ts';
import { WithOffer } from './with-offer.tsx';

/** The name, checked while it is typed, with the address that follows from it. */
export function DeployIdentityFields(props: {
  form: UseFormReturn<DeployForm>;
  takenNames: ReadonlySet<string>;
  /** An app's address with {name} in it; absent when the template exposes nothing. */
  address: string | undefined;
  taken: Taken | undefined;
  onTaken: () => void;
}) {
  const { form, takenNames, address, taken, onTaken } = props;
  const [name, host] = useWatch({ control: form.control, name: ['name', 'host'] });
  // Without an address of its own, the name's is the one that is taken.
  const mine = taken && (taken.field === 'name' || host.trim() === '') ? taken : undefined;
  const error = form.formState.errors.name?.message ?? liveProblem(name, takenNames) ?? mine?.message;
  const offer = mine ? mine.free : offerFor(name, takenNames);
  const url = address && addressOf(address, host.trim() || name);
  return (
    <Field
      id={fieldId('name')}
      label="Name"
      error={
        error && (
          <WithOffer error={error} offer={offer} onTake={(free) => take(form, mine?.field ?? 'name', free, onTaken)} />
        )
      }
      help={
        url && !error ? (
          <>
            Answers at <span className="mono wrap-anywhere">{url}</span>
          </>
        ) : error ? undefined : (
          'Lower-case letters, digits and hyphens. It stays; the display name can change.'
        )
      }
    >
      {(control) => (
        <Input {...control} {...form.register('name', { onChange: onTaken })} autoComplete="off" spellCheck={false} />
      )}
    </Field>
  );
}

/** A whole host stands for itself, under the scheme of all apps here. */
function addressOf(pattern: string, name: string): string {
  return name.includes('.') ? `${pattern.slice(0, pattern.indexOf('://'))}://${name}` : pattern.replace('{name}', name);
}

/** The less usual: what people read instead of the name, and another address. */
export function DeployPlaceFields(props: {
  form: UseFormReturn<DeployForm>;
  domain: string | undefined;
  taken: Taken | undefined;
  onTaken: () => void;
}) {
  const { form, domain, taken, onTaken } = props;
  const host = useWatch({ control: form.control, name: 'host' });
  const { errors } = form.formState;
  const mine = taken?.field === 'host' && host.trim() !== '' ? taken : undefined;
  const error = errors.host?.message ?? mine?.message;
  return (
    <>
      <Field
        id={fieldId('displayName')}
        label="Display name"
        optional
        error={errors.displayName?.message}
        help="What people read beside the name."
      >
        {(control) => <Input {...control} {...form.register('displayName')} autoComplete="off" />}
      </Field>
      {domain && (
        <Field
          id={fieldId('host')}
          label="Address"
          optional
          error={
            error && <WithOffer error={error} offer={mine?.free} onTake={(free) => take(form, 'host', free, onTaken)} />
          }
          help={`The name under .${domain} when left empty; or a whole host name of your own that points here.`}
        >
          {(control) => (
            <Input
              {...control}
              {...form.register('host', { onChange: onTaken })}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
      )}
    </>
  );
}

function take(form: UseFormReturn<DeployForm>, field: 'name' | 'host', free: string, onTaken: () => void): void {
  onTaken();
  form.setValue(field, free, { shouldValidate: true, shouldDirty: true });
}

function liveProblem(name: string, taken: ReadonlySet<string>): string | undefined {
  if (name === '') return undefined;
  const parsed = nameSchema.safeParse(name);
  if (!parsed.success) return sentenceFor('Name', parsed.error.issues[0]?.message ?? 'is not right');
  return taken.has(name) ? 'Name is taken in this team' : undefined;
}

/** A right name close to what was typed. */
function offerFor(name: string, taken: ReadonlySet<string>): string | undefined {
  const offer = freeName(slug(name), taken);
  return name === '' || offer === name ? undefined : offer;
}
