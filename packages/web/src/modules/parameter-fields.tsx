import type { Parameter } from '@berth/core/parameter';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { fieldId } from '../api/form-errors.ts';
import { Field, Input, Select, Textarea } from '../components/field.tsx';
import type { DeployForm } from './deploy-form.ts';
import { SecretInput } from './secret-input.tsx';

/** One control per question of a template. Advanced ones are folded, and open by themselves when one of them is wrong. */
export function ParameterFields({
  parameters,
  form,
}: {
  parameters: readonly Parameter[];
  form: UseFormReturn<DeployForm>;
}) {
  return parameters.map((parameter) => <ParameterField key={parameter.name} parameter={parameter} form={form} />);
}

export function ParameterField({ parameter, form }: { parameter: Parameter; form: UseFormReturn<DeployForm> }) {
  const path = `values.${parameter.name}` as const;
  const error = form.formState.errors.values?.[parameter.name]?.message;
  const id = fieldId(path);
  const registered = form.register(path);
  if (parameter.type === 'boolean') {
    return (
      <div className="flex items-start gap-2.5">
        <input
          {...registered}
          id={id}
          type="checkbox"
          aria-describedby={parameter.help ? `${id}-help` : undefined}
          className="switch mt-0.5"
        />
        <div>
          <label htmlFor={id} className="font-medium">
            {parameter.label}
          </label>
          {parameter.help && (
            <p id={`${id}-help`} className="text-hint text-muted">
              {parameter.help}
            </p>
          )}
        </div>
      </div>
    );
  }
  const generated = parameter.type === 'secret' && parameter.generate !== undefined;
  return (
    <Field
      id={id}
      label={parameter.label}
      help={helpOf(parameter)}
      error={error && String(error)}
      optional={!parameter.required && !generated && !hasDefault(parameter)}
    >
      {(control) => {
        switch (parameter.type) {
          case 'choice':
            return (
              <Select {...control} {...registered}>
                {!parameter.required && parameter.default === undefined && <option value="">None</option>}
                {parameter.choices.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </Select>
            );
          case 'number':
            return (
              <div className="flex items-center gap-2">
                <Input
                  {...control}
                  {...registered}
                  inputMode={parameter.integer ? 'numeric' : 'decimal'}
                  autoComplete="off"
                  className="numeric w-32!"
                />
                {parameter.unit && <span className="text-muted">{parameter.unit}</span>}
              </div>
            );
          case 'secret':
            return (
              <SecretInput control={control} registered={registered} parameter={parameter} form={form} path={path} />
            );
          default:
            return parameter.multiline ? (
              <Textarea {...control} {...registered} placeholder={parameter.placeholder} />
            ) : (
              <Input {...control} {...registered} autoComplete="off" placeholder={parameter.placeholder} />
            );
        }
      }}
    </Field>
  );
}

/** Folded away until asked for, or until something in it is wrong. */
export function Advanced({ wrong, children }: { wrong: boolean; children: React.ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details
      open={open || wrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group rounded-panel border border-line"
    >
      <summary className="cursor-pointer rounded-panel px-3.5 py-2 font-medium select-none marker:text-faint">
        Advanced
      </summary>
      <div className="flex flex-col gap-4 border-t border-line p-3.5">{children}</div>
    </details>
  );
}

/** A default that is empty leaves a field as empty as none does. */
function hasDefault(parameter: Parameter): boolean {
  return 'default' in parameter && parameter.default !== undefined && parameter.default !== '';
}

function helpOf(parameter: Parameter): string | undefined {
  const parts = [parameter.help];
  if (parameter.type === 'number' && (parameter.min !== undefined || parameter.max !== undefined)) {
    parts.push(rangeWords(parameter.min, parameter.max));
  }
  if (parameter.type === 'secret' && parameter.generate && !/empty/i.test(parameter.help ?? ''))
    parts.push('Left empty, one is made at random.');
  return parts.filter(Boolean).join(' ') || undefined;
}

function rangeWords(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `At most ${max}.`;
  return max === undefined ? `At least ${min}.` : `${min} to ${max}.`;
}
