import { isBerthError } from '@berth/core/errors';
import { hostLabel, normaliseHost } from '@berth/core/host';
import { nameSchema } from '@berth/core/names';
import { type Parameter, valuesSchema } from '@berth/core/parameter';
import { fieldErrors } from '@berth/core/parse';
import type { FieldErrors, Resolver } from 'react-hook-form';
import { type FormProblem, sentenceFor } from '../api/form-errors.ts';
import { type RawValues, valuesFromRaw } from './parameter-values.ts';

/** The form of a deployment, when it is made and when it is edited. */
export interface DeployForm {
  name: string;
  displayName: string;
  host: string;
  values: RawValues;
}

export interface DeployFormRules {
  parameters: readonly Parameter[];
  /** The domain of apps. */
  domain: string;
  takenNames: ReadonlySet<string>;
  /** An existing one is edited: the name stands, secrets keep their values. */
  editing: boolean;
}

/** Everything that is wrong, by the schemas that the server uses too. */
export function deployFormProblems(form: DeployForm, rules: DeployFormRules): FormProblem[] {
  const { parameters, domain, takenNames, editing } = rules;
  const problems: FormProblem[] = [];
  if (!editing) {
    const name = nameSchema.safeParse(form.name);
    if (form.name === '') problems.push({ path: 'name', message: 'is required' });
    else if (!name.success) problems.push({ path: 'name', message: name.error.issues[0]?.message ?? 'is not right' });
    else if (takenNames.has(form.name)) problems.push({ path: 'name', message: 'is taken in this team' });
  }
  if (form.displayName.length > 100) problems.push({ path: 'displayName', message: 'takes at most 100 characters' });
  const host = hostProblem(form.host, domain);
  if (host) problems.push({ path: 'host', message: host });
  const asked = editing ? parameters.filter((each) => each.type !== 'secret') : parameters;
  const result = valuesSchema(asked).safeParse(valuesFromRaw(asked, form.values));
  if (!result.success) {
    for (const each of fieldErrors(result.error)) problems.push({ path: `values.${each.path}`, message: each.message });
  }
  return problems;
}

/** A name for each field, for the list of errors. */
export function labelOf(path: string, parameters: readonly Parameter[]): string {
  if (path === 'name') return 'Name';
  if (path === 'displayName') return 'Display name';
  if (path === 'host') return 'Address';
  return parameters.find((each) => `values.${each.name}` === path)?.label ?? path;
}

export function isFormField(path: string, parameters: readonly Parameter[]): boolean {
  return ['name', 'displayName', 'host'].includes(path) || parameters.some((each) => `values.${each.name}` === path);
}

export function deployFormResolver(rules: () => DeployFormRules): Resolver<DeployForm> {
  return (form) => {
    const current = rules();
    const problems = deployFormProblems(form, current);
    return problems.length === 0
      ? { values: form, errors: {} }
      : { values: {}, errors: toFieldErrors(problems, current.parameters) };
  };
}

/** As React Hook Form keeps them: a tree, with whole sentences. */
function toFieldErrors(problems: readonly FormProblem[], parameters: readonly Parameter[]): FieldErrors<DeployForm> {
  const errors: Record<string, unknown> = {};
  const values: Record<string, unknown> = {};
  for (const { path, message } of problems) {
    const error = { type: 'validate', message: sentenceFor(labelOf(path, parameters), message) };
    if (path.startsWith('values.')) values[path.slice('values.'.length)] ??= error;
    else errors[path] ??= error;
  }
  if (Object.keys(values).length > 0) errors.values = values;
  return errors as FieldErrors<DeployForm>;
}

/** The other way round: what is wrong now, in the order of the form. */
export function listErrors(errors: FieldErrors<DeployForm>, parameters: readonly Parameter[]): FormProblem[] {
  const paths = ['name', ...parameters.map((each) => `values.${each.name}`), 'displayName', 'host'];
  return paths.flatMap((path) => {
    const error = path.startsWith('values.')
      ? errors.values?.[path.slice('values.'.length)]
      : errors[path as 'name' | 'displayName' | 'host'];
    return error?.message ? [{ path, message: String(error.message) }] : [];
  });
}

/** The short form of a host for the field: the label under the platform's domain, or the whole custom host. */
export function hostInput(host: string | undefined, name: string, domain: string): string {
  const label = host === undefined ? '' : hostLabel(host, domain);
  return label === name ? '' : label;
}

function hostProblem(host: string, domain: string): string | undefined {
  if (host.trim() === '') return undefined;
  try {
    normaliseHost(host, { domain, reserved: [] });
    return undefined;
  } catch (error) {
    if (isBerthError(error)) return error.details.fields?.[0]?.message ?? error.message;
    throw error;
  }
}
