import { nameSchema, slug } from '@berth/core/names';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { fieldId, sentenceFor } from '../api/form-errors.ts';
import { Field, Input } from '../components/field.tsx';
import type { DeployForm } from './deploy-form.ts';
import { freeName } from './free-name.ts';
import type { DeployFailure } from './use-deploy.ts';

/** The name, checked while it is typed, with the address that follows from it. */
export function DeployIdentityFields(props: {
  form: UseFormReturn<DeployForm>;
  takenNames: ReadonlySet<string>;
  /** An app's address with {name} in it; absent when the template exposes nothing. */
  address: string | undefined;
  suggestion: DeployFailure['suggestion'];
  onTaken: () => void;
}) {
  const { form, takenNames, address, suggestion, onTaken } = props;
  const [name, host] = useWatch({ control: form.control, name: ['name', 'host'] });
  const offer = suggestion?.field === 'name' ? suggestion.text : offerFor(name, takenNames);
  const error = form.formState.errors.name?.message ?? liveProblem(name, takenNames);
  const label = host.trim() || name;
  const url = address?.replace('{name}', label);
  return (
    <Field
      id={fieldId('name')}
      label="Name"
      error={
        error && (
          <>
            {error}.{' '}
            {offer && (
              <Offer
                text={offer}
                onTake={() => {
                  onTaken();
                  form.setValue('name', offer, { shouldValidate: true, shouldDirty: true });
                }}
              />
            )}
          </>
        )
      }
      help={
        url && nameSchema.safeParse(name).success ? (
          <>
            Answers at <span className="mono wrap-anywhere">{host.includes('.') ? `http://${host.trim()}` : url}</span>
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

/** The less usual: what people read instead of the name, and another address. */
export function DeployPlaceFields(props: {
  form: UseFormReturn<DeployForm>;
  domain: string | undefined;
  suggestion: DeployFailure['suggestion'];
  onTaken: () => void;
}) {
  const { form, domain, suggestion, onTaken } = props;
  const { errors } = form.formState;
  const offer = suggestion?.field === 'host' ? suggestion.text : undefined;
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
            errors.host?.message && (
              <>
                {errors.host.message}.{' '}
                {offer && (
                  <Offer
                    text={offer}
                    onTake={() => {
                      onTaken();
                      form.setValue('host', offer, { shouldValidate: true, shouldDirty: true });
                    }}
                  />
                )}
              </>
            )
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

function Offer({ text, onTake }: { text: string; onTake: () => void }) {
  return (
    <button type="button" className="font-medium text-accent underline underline-offset-2" onClick={onTake}>
      Use {text}
    </button>
  );
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
