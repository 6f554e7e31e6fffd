import type { Parameter } from '@berth/core/parameter';
import { Eye, EyeOff, WandSparkles } from 'lucide-react';
import { useState } from 'react';
import type { UseFormRegisterReturn, UseFormReturn } from 'react-hook-form';
import { Button, IconButton } from '../components/button.tsx';
import { type ControlProps, Input, Textarea } from '../components/field.tsx';
import type { DeployForm } from './deploy-form.ts';
import { generateSecret } from './parameter-values.ts';

const USUAL_LENGTH = 24;

/** A secret before it is sent: hidden, shown on wish, or made at random. Once sent it never comes back. */
export function SecretInput(props: {
  control: ControlProps;
  registered: UseFormRegisterReturn;
  parameter: Extract<Parameter, { type: 'secret' }>;
  form: UseFormReturn<DeployForm>;
  path: `values.${string}`;
}) {
  const { control, registered, parameter, form, path } = props;
  const [shown, setShown] = useState(false);
  const generate = () => {
    const length = Math.max(parameter.generate?.length ?? USUAL_LENGTH, parameter.minLength ?? 0);
    form.setValue(path, generateSecret(Math.min(length, parameter.maxLength ?? length)), {
      shouldDirty: true,
      shouldValidate: true,
    });
    setShown(true);
  };
  if (parameter.multiline) {
    return <Textarea {...control} {...registered} autoComplete="off" spellCheck={false} className="mono" />;
  }
  return (
    <div className="flex gap-2">
      <div className="relative flex-1">
        <Input
          {...control}
          {...registered}
          type={shown ? 'text' : 'password'}
          autoComplete="new-password"
          spellCheck={false}
          className={shown ? 'mono pr-9!' : 'pr-9!'}
        />
        <IconButton
          label={shown ? `Hide ${parameter.label}` : `Show ${parameter.label}`}
          className="absolute! top-px right-px"
          icon={shown ? <EyeOff aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}
          onClick={() => setShown(!shown)}
        />
      </div>
      <Button
        icon={<WandSparkles aria-hidden className="size-3.5" />}
        onClick={generate}
        className="h-8! pointer-coarse:h-10!"
        aria-label={`Generate ${parameter.label}`}
      >
        Generate
      </Button>
    </div>
  );
}
