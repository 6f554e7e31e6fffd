import type { Deployment, UpdateDeployment } from '@berth/core/deployment';
import type { Parameter } from '@berth/core/parameter';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router';
import { call } from '../api/client.ts';
import { fieldId, sentenceFor, splitProblem } from '../api/form-errors.ts';
import { isProblem, messageOf } from '../api/problem.ts';
import { takeAnswer } from '../api/queries/deployment.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { useFeedback } from '../components/feedback.tsx';
import { Field, Select } from '../components/field.tsx';
import {
  type DeployForm,
  type DeployFormRules,
  deployFormProblems,
  deployFormResolver,
  hostInput,
  isFormField,
  labelOf,
  listErrors,
} from './deploy-form.ts';
import { DeployPlaceFields } from './deploy-identity-fields.tsx';
import { ErrorList } from './error-list.tsx';
import { Advanced, ParameterFields } from './parameter-fields.tsx';
import { rawFromValues, valuesFromRaw } from './parameter-values.ts';
import { paths } from './paths.ts';
import { UpdateSummary } from './update-summary.tsx';
import { type Taken, takenOf } from './use-deploy.ts';
import { useUpdatePreview } from './use-update-preview.ts';

export interface SettingsFormProps {
  deployment: Deployment;
  parameters: readonly Parameter[];
  exposed: boolean;
  domain: string;
  version: string | undefined;
  versions: readonly string[];
  onVersion: (version: string) => void;
  onSaved: () => void;
  /** Under the form, in its column. */
  children: ReactNode;
}

/** Edits what was seen: a change that somebody else made meanwhile is never overwritten unseen. */
export function SettingsForm(props: SettingsFormProps) {
  const { deployment, parameters, exposed, domain, version, versions, onVersion, onSaved, children } = props;
  const client = useQueryClient();
  const navigate = useNavigate();
  const { toast } = useFeedback();
  const [seen, setSeen] = useState(deployment);
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<unknown>();
  const [taken, setTaken] = useState<Taken>();
  const rules: DeployFormRules = { parameters, domain, takenNames: new Set(), editing: true };
  const latestRules = useRef(rules);
  latestRules.current = rules;
  const form = useForm<DeployForm>({
    resolver: useMemo(() => deployFormResolver(() => latestRules.current), []),
    mode: 'onTouched',
    shouldFocusError: false,
    defaultValues: formOf(deployment, parameters, domain),
  });
  const { errors, isDirty, isSubmitting } = form.formState;
  const asked = parameters.filter((each) => each.type !== 'secret');
  const usual = asked.filter((each) => !each.advanced);
  const advanced = asked.filter((each) => each.advanced);
  const newVersion = version !== undefined && version !== seen.template?.version;
  const newer = deployment.revision > seen.revision && !isSubmitting;
  const changedElsewhere = newer && asTyped(deployment) !== asTyped(seen);
  // A restart, another pod, one more address: nothing that stands in this form.
  if (newer && !changedElsewhere) setSeen(deployment);

  const startOver = () => {
    setSeen(deployment);
    setFailure(undefined);
    form.reset(formOf(deployment, parameters, domain));
  };
  const bodyOf = (typed: DeployForm): UpdateDeployment => {
    const host = typed.host.trim();
    return {
      displayName: typed.displayName.trim(),
      ...(asked.length > 0 && { values: valuesFromRaw(asked, typed.values) }),
      ...(newVersion && { version }),
      ...(exposed && host !== hostInput(seen.host, seen.name, domain) && { host: host === '' ? seen.name : host }),
    };
  };
  const typed = useWatch({ control: form.control }) as DeployForm;
  const changed = (isDirty || newVersion) && deployFormProblems(typed, rules).length === 0;
  const summary = useUpdatePreview(seen.id, changed ? bodyOf(typed) : undefined);
  const save = async (wanted: DeployForm) => {
    setFailure(undefined);
    setTaken(undefined);
    try {
      const answer = await call('updateDeployment', {
        params: { id: seen.id },
        ifMatch: seen.revision,
        body: bodyOf(wanted),
      });
      takeAnswer(client, answer);
      setSeen(answer);
      form.reset(formOf(answer, parameters, domain));
      toast({
        tone: 'ok',
        text: `Saved as revision ${answer.revision}`,
        action: {
          label: 'View',
          run: () => void navigate(paths.revision(answer.teamId, answer.name, answer.revision)),
        },
      });
      onSaved();
    } catch (error) {
      const found = takenOf(error);
      setTaken(found);
      const { fields } = splitProblem(error, (path) => !found && isFormField(path, parameters));
      for (const { path, message } of fields) {
        form.setError(path as 'host', { type: 'server', message: sentenceFor(labelOf(path, parameters), message) });
      }
      if (!found && fields.length === 0) setFailure(error);
    }
  };
  const submit = form.handleSubmit(save);
  return (
    <div className="grid items-start gap-x-8 gap-y-6 wide:grid-cols-[minmax(0,560px)_minmax(0,1fr)]">
      <div className="min-w-0">
        <form
          noValidate
          aria-label={`Settings of ${deployment.name}`}
          onSubmit={(event) => {
            setAttempt(attempt + 1);
            void submit(event);
          }}
          className="flex flex-col gap-4"
        >
          {(changedElsewhere || isProblem(failure, 'conflict')) && (
            <Banner
              tone="warn"
              title="Somebody else changed this deployment meanwhile"
              action={<Button onClick={startOver}>Show the newest</Button>}
            >
              Nothing of theirs is overwritten. Showing the newest drops what you typed here.
            </Banner>
          )}
          {failure !== undefined && !isProblem(failure, 'conflict') && (
            <Banner takesFocus tone="bad" title={messageOf(failure)}>
              Nothing was changed.
            </Banner>
          )}
          {attempt > 0 && <ErrorList problems={listErrors(errors, parameters)} attempt={attempt} />}
          {versions.length > 1 && (
            <Field
              id={fieldId('version')}
              label="Version"
              help={newVersion ? `Running now: ${seen.template?.version}.` : undefined}
            >
              {(control) => (
                <Select {...control} value={version} onChange={(event) => onVersion(event.target.value)}>
                  {versions.map((each) => (
                    <option key={each} value={each}>
                      {each}
                      {each === seen.template?.version ? ' (running)' : ''}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          )}
          <ParameterFields parameters={usual} form={form} />
          <DeployPlaceFields
            form={form}
            domain={exposed ? domain : undefined}
            taken={taken}
            onTaken={() => setTaken(undefined)}
          />
          {advanced.length > 0 && (
            <Advanced wrong={advanced.some((each) => errors.values?.[each.name])}>
              <ParameterFields parameters={advanced} form={form} />
            </Advanced>
          )}
          <div className="flex gap-2">
            <Button look="primary" type="submit" pending={isSubmitting} disabled={!isDirty && !newVersion}>
              Save changes
            </Button>
            {isDirty && (
              <Button look="ghost" onClick={startOver}>
                Discard
              </Button>
            )}
          </div>
        </form>
        {children}
      </div>
      <div className="min-w-0 max-w-[440px] wide:sticky wide:top-5">
        <UpdateSummary {...summary} asked={changed} paused={deployment.paused} />
      </div>
    </div>
  );
}

/** What of a deployment this form shows. */
function asTyped({ displayName, host, values, template }: Deployment): string {
  return JSON.stringify([displayName, host, Object.entries(values).sort(), template?.version]);
}

function formOf(deployment: Deployment, parameters: readonly Parameter[], domain: string): DeployForm {
  return {
    name: deployment.name,
    displayName: deployment.displayName ?? '',
    host: hostInput(deployment.host, deployment.name, domain),
    values: rawFromValues(parameters, deployment.values),
  };
}
