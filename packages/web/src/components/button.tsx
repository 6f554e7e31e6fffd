import { LoaderCircle } from 'lucide-react';
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link, type LinkProps } from 'react-router';
import { classes } from './classes.ts';

export type ButtonLook = 'primary' | 'secondary' | 'ghost' | 'danger' | 'link';

const BASE =
  'inline-flex items-center justify-center gap-1.5 rounded-control font-medium whitespace-nowrap select-none transition-colors duration-100 disabled:opacity-50 aria-disabled:opacity-60';
const SIZED = 'h-[30px] px-[11px] border pointer-coarse:h-9';
const LOOKS: Record<ButtonLook, string> = {
  primary: `${SIZED} border-accent bg-accent text-on-accent hover:bg-accent-strong hover:border-accent-strong`,
  secondary: `${SIZED} border-line-strong bg-panel text-text hover:bg-sunken`,
  ghost: `${SIZED} border-transparent text-muted hover:bg-sunken hover:text-text`,
  danger: `${SIZED} border-bad/50 bg-panel text-bad hover:bg-bad-soft`,
  link: 'text-accent hover:underline underline-offset-2',
};

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook;
  icon?: ReactNode;
  /** The action is on its way: it keeps focus but does nothing again. */
  pending?: boolean;
}

export function Button({ look = 'secondary', icon, pending, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(BASE, LOOKS[look], className)}
      aria-disabled={pending || rest['aria-disabled']}
      aria-busy={pending}
      // A submit takes no focus from the field: the field's error would appear on leaving it and move the button from under the pointer.
      onMouseDown={rest.type === 'submit' ? (event) => event.preventDefault() : rest.onMouseDown}
      onClick={pending ? (event) => event.preventDefault() : onClick}
    >
      {pending ? <LoaderCircle aria-hidden className="size-3.5 animate-turn" /> : icon}
      {children}
    </button>
  );
}

export function ButtonLink(props: LinkProps & { look?: ButtonLook; icon?: ReactNode }) {
  const { look = 'secondary', icon, className, children, ...rest } = props;
  return (
    <Link {...rest} className={classes(BASE, LOOKS[look], className as string | undefined)}>
      {icon}
      {children}
    </Link>
  );
}

/** A button that is only a picture: `label` is its name and its tooltip. */
export function IconButton({ label, className, ...rest }: ButtonProps & { label: string }) {
  return (
    <Button
      look="ghost"
      {...rest}
      aria-label={label}
      title={label}
      className={classes('w-[30px] px-0! pointer-coarse:w-9', className)}
    />
  );
}
