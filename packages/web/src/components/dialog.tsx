import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';

/**
 * A modal window. The overlay is our own element: Radix's locks scrolling with a style element, which the CSP refuses; ours is
 * locked by `data-scroll-lock` in styles.css.
 */
export function Dialog(props: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** For the palette: its title is for screen readers only. */
  bare?: boolean;
  className?: string;
  children: ReactNode;
}) {
  const { open, onOpenChange, title, description, bare, className, children } = props;
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <div data-scroll-lock className="fixed inset-0 z-40 animate-appear bg-overlay" />
        <Radix.Content
          onOpenAutoFocus={focusFirstField}
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={classes(
            'fixed inset-x-3 top-[12vh] z-40 mx-auto flex max-h-[76vh] max-w-[460px] animate-rise flex-col overflow-hidden rounded-[10px] bg-panel shadow-floating outline-none',
            className,
          )}
        >
          {bare ? (
            <Radix.Title className="sr-only">{title}</Radix.Title>
          ) : (
            <div className="flex items-center justify-between gap-3 px-4 pt-3">
              <Radix.Title className="text-lead font-semibold">{title}</Radix.Title>
              <Radix.Close asChild>
                <IconButton label="Close" icon={<X aria-hidden className="size-4" />} />
              </Radix.Close>
            </div>
          )}
          {description && (
            <Radix.Description asChild>
              <div className="px-4 text-muted text-pretty">{description}</div>
            </Radix.Description>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function DialogBody({ children }: { children: ReactNode }) {
  return <div className="flex flex-col gap-4 overflow-y-auto px-4 py-3">{children}</div>;
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="flex justify-end gap-2 border-t border-line px-4 py-3">{children}</div>;
}

/** What is asked for first, not the button that closes; without a question the window itself, so that Tab begins at its top. */
function focusFirstField(event: Event): void {
  const window = event.currentTarget as HTMLElement;
  event.preventDefault();
  const field = window.querySelector<HTMLElement>('input, select, textarea') ?? window;
  field.focus();
  if (field instanceof HTMLInputElement) field.select();
}
