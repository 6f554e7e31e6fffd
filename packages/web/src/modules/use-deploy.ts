import type { CreateDeployment } from '@berth/core/deployment';
import type { Parameter } from '@berth/core/parameter';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router';
import { call } from '../api/client.ts';
import { sentenceFor, splitProblem } from '../api/form-errors.ts';
import { idempotencyKeys } from '../api/idempotency.ts';
import { isProblem } from '../api/problem.ts';
import { previewQuery, takeAnswer } from '../api/queries/deployment.ts';
import { useSettled } from '../components/use-settled.ts';
import { type DeployForm, type DeployFormRules, deployFormProblems, isFormField, labelOf } from './deploy-form.ts';
import { valuesFromRaw } from './parameter-values.ts';
import { paths } from './paths.ts';

const PREVIEW_AFTER_MILLISECONDS = 350;

/** The summary of the form as it stands: asked for when the typing pauses and everything in it is right. */
export function useDeployPreview(form: UseFormReturn<DeployForm>, rules: DeployFormRules, target: DeployTarget) {
  const typed = useWatch({ control: form.control }) as DeployForm;
  const body = useMemo(() => {
    const shown = withoutSecrets(typed, rules.parameters);
    return deployFormProblems(shown, rules).length === 0 ? createBody(shown, rules, target) : undefined;
  }, [typed, rules, target]);
  const settled = useSettled(body, PREVIEW_AFTER_MILLISECONDS);
  const preview = useQuery(previewQuery(settled));
  return {
    preview: preview.data,
    stale: settled !== body || preview.isFetching,
    incomplete: body === undefined,
    // The server knows what the form cannot: that a name or an address is taken, that a plan is full.
    problem: settled === body ? (preview.error ?? undefined) : undefined,
  };
}

/** No summary depends on a secret, so none is sent for one: a stand-in of the right length takes its place. */
function withoutSecrets(form: DeployForm, parameters: readonly Parameter[]): DeployForm {
  const standIns = parameters.flatMap((each) =>
    each.type === 'secret' ? [[each.name, 'x'.repeat(Math.max(1, each.minLength ?? 0))] as const] : [],
  );
  return { ...form, values: { ...form.values, ...Object.fromEntries(standIns) } };
}

export interface DeployTarget {
  teamId: string;
  template: string;
  version: string;
}

/** What stands in the way of a deploy and is not wrong with what one field holds. */
export interface DeployFailure {
  problem: Error;
  taken: Taken | undefined;
}

/** Sends the form. What the server finds wrong goes back to its fields. */
export function useDeploy(form: UseFormReturn<DeployForm>, rules: DeployFormRules, target: DeployTarget) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [failure, setFailure] = useState<DeployFailure>();
  const [keyFor] = useState(() => idempotencyKeys());
  const deploy = async (typed: DeployForm) => {
    setFailure(undefined);
    const body = createBody(typed, rules, target);
    try {
      const made = await call('createDeployment', { body, idempotencyKey: keyFor(body) });
      takeAnswer(client, made);
      await navigate(paths.deployment(made.teamId, made.name));
    } catch (error) {
      setFailure(toForm(error, form, rules));
    }
  };
  return { deploy, failure, clearFailure: () => setFailure(undefined) };
}

/** Puts what the server found wrong beside its fields; what belongs to none is the form's own failure. */
function toForm(
  error: unknown,
  form: UseFormReturn<DeployForm>,
  { parameters }: DeployFormRules,
): DeployFailure | undefined {
  const problem = error instanceof Error ? error : new Error(String(error));
  const taken = takenOf(error);
  if (taken) return { problem, taken };
  const { fields } = splitProblem(error, (path) => isFormField(path, parameters));
  for (const { path, message } of fields) {
    form.setError(path as 'name', { type: 'server', message: sentenceFor(labelOf(path, parameters), message) });
  }
  return fields.length === 0 ? { problem, taken } : undefined;
}

/** A name or an address that is taken: found by the summary while one types, or by the submit. */
export interface Taken {
  field: 'name' | 'host';
  message: string;
  /** A free one, to take with one click. */
  free: string | undefined;
}

export function takenOf(error: unknown): Taken | undefined {
  const field = takenField(error);
  return field && isProblem(error) ? { field, message: error.message, free: error.problem.suggestion } : undefined;
}

function takenField(error: unknown): 'name' | 'host' | undefined {
  if (isProblem(error, 'name_taken')) return 'name';
  return isProblem(error, 'host_taken') ? 'host' : undefined;
}

function createBody(form: DeployForm, rules: DeployFormRules, target: DeployTarget): CreateDeployment {
  return {
    team: target.teamId,
    name: form.name,
    template: target.template,
    version: target.version,
    values: valuesFromRaw(rules.parameters, form.values),
    ...(form.displayName.trim() !== '' && { displayName: form.displayName.trim() }),
    ...(form.host.trim() !== '' && { host: form.host.trim() }),
  };
}
