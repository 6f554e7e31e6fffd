import type { Deployment } from '@berth/core/deployment';
import { type Parameter, parameterValueSchema } from '@berth/core/parameter';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { call } from '../api/client.ts';
import { sentenceFor, splitProblem } from '../api/form-errors.ts';
import { messageOf } from '../api/problem.ts';
import { takeAnswer } from '../api/queries/deployment.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { useFeedback } from '../components/feedback.tsx';
import { Field } from '../components/field.tsx';
import type { DeployForm } from './deploy-form.ts';
import { SecretInput } from './secret-input.tsx';

type SecretParameter = Extract<Parameter, { type: 'secret' }>;

/** Writes one secret; all other values are sent as they are. */
export function ReplaceSecretDialog(props: {
  deployment: Deployment;
  secretKey: string;
  parameter: SecretParameter | undefined;
  onClose: () => void;
}) {
  const { deployment, secretKey, onClose } = props;
  const parameter = props.parameter ?? { type: 'secret', name: secretKey, label: secretKey };
  const client = useQueryClient();
  const { toast } = useFeedback();
  const path = `values.${secretKey}` as const;
  const form = useForm<DeployForm>({ defaultValues: { values: { [secretKey]: '' } } });
  const fieldError = form.formState.errors.values?.[secretKey]?.message;
  const failure = form.formState.errors.root?.message;
  const fail = (message: string) => form.setError(path, { message: sentenceFor(parameter.label, message) });
  const submit = form.handleSubmit(async ({ values }) => {
    const value = String(values[secretKey] ?? '');
    if (value === '') return fail('is required');
    const parsed = parameterValueSchema(parameter).safeParse(value);
    if (!parsed.success) return fail(parsed.error.issues[0]?.message ?? 'is not right');
    try {
      const body = { values: { ...deployment.values, [secretKey]: value } };
      takeAnswer(client, await call('updateDeployment', { params: { id: deployment.id }, body }));
      toast({ tone: 'ok', text: `${secretKey} is replaced; the services that use it restart` });
      onClose();
    } catch (error) {
      const { fields } = splitProblem(error, (each) => each === path);
      if (fields[0]) fail(fields[0].message);
      else form.setError('root', { message: messageOf(error) });
    }
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Replace ${parameter.label}`}
      description="The old value is gone once the new one is stored."
    >
      <form
        noValidate
        onSubmit={(event) => {
          form.clearErrors();
          void submit(event);
        }}
      >
        <DialogBody>
          {failure && <Banner tone="bad" title={failure} />}
          <Field
            id={`secret-${secretKey}`}
            label="New value"
            help={parameter.help}
            error={fieldError && String(fieldError)}
          >
            {(control) => (
              <SecretInput
                control={control}
                registered={form.register(path)}
                parameter={parameter}
                form={form}
                path={path}
              />
            )}
          </Field>
        </DialogBody>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" pending={form.formState.isSubmitting}>
            Replace
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
