import { ChevronDown } from 'lucide-react';
import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react';
import { classes } from './classes.ts';

const CONTROL =
  'w-full rounded-control border bg-panel px-2.5 text-text transition-colors duration-100 disabled:bg-sunken disabled:text-muted aria-invalid:border-bad border-control/60 hover:border-control focus:border-accent focus-visible:outline-offset-0 pointer-coarse:text-[16px]';

/** What a control needs to be tied to its label, help and error. */
export interface ControlProps {
  id: string;
  'aria-invalid': boolean | undefined;
  'aria-describedby': string | undefined;
}

/** Label above, help under, error beside: `id` is what the list of errors on top links to. */
export function Field(props: {
  id: string;
  label: string;
  help?: ReactNode;
  error?: ReactNode;
  optional?: boolean;
  children: (control: ControlProps) => ReactNode;
}) {
  const { id, label, help, error, optional, children } = props;
  const describedBy = classes(error ? `${id}-error` : undefined, help ? `${id}-help` : undefined);
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
        {optional && <span className="font-normal text-faint"> optional</span>}
      </label>
      {children({ id, 'aria-invalid': error ? true : undefined, 'aria-describedby': describedBy || undefined })}
      {error && (
        <p id={`${id}-error`} className="text-hint text-bad">
          {error}
        </p>
      )}
      {help && (
        <p id={`${id}-help`} className="text-hint text-muted text-pretty">
          {help}
        </p>
      )}
    </div>
  );
}

export function Input({ className, ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  return <input {...rest} className={classes(CONTROL, 'h-8 pointer-coarse:h-10', className)} />;
}

export function Textarea({ className, ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <textarea rows={4} {...rest} className={classes(CONTROL, 'min-h-20 py-1.5', className)} />;
}

/** The system's own list: right on a phone, by keyboard and for screen readers. */
export function Select({
  className = 'h-8 pointer-coarse:h-10',
  children,
  ...rest
}: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <span className={classes('relative block', className)}>
      <select {...rest} className={classes(CONTROL, 'h-full appearance-none pr-8 text-ellipsis')}>
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-muted"
      />
    </span>
  );
}
