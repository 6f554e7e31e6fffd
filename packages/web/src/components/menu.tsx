import { Check } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

/**
 * A menu behind `trigger`. Not modal: the modal one locks scrolling with a style element, which the CSP refuses. It stays in its
 * landmark rather than at the end of the page.
 */
export function Menu(props: {
  trigger: ReactNode;
  children: ReactNode;
  align?: 'start' | 'end';
  side?: 'top' | 'bottom';
  className?: string;
  defaultOpen?: boolean;
}) {
  const { trigger, children, align = 'end', side = 'bottom', className, defaultOpen } = props;
  return (
    <Radix.Root modal={false} defaultOpen={defaultOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Content
        align={align}
        side={side}
        sideOffset={6}
        collisionPadding={8}
        className={classes(
          'z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-[190px] animate-appear overflow-y-auto rounded-panel bg-panel p-1 shadow-floating',
          className,
        )}
      >
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}

const ITEM =
  'flex min-h-[30px] items-center gap-2.5 rounded-control px-2 outline-none data-highlighted:bg-sunken data-disabled:cursor-default data-disabled:text-faint pointer-coarse:min-h-10';

export function MenuItem(props: {
  onSelect: () => void;
  icon?: ReactNode;
  hint?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  children: ReactNode;
}) {
  const { onSelect, icon, hint, danger, disabled, children } = props;
  return (
    <Radix.Item onSelect={onSelect} disabled={disabled} className={classes(ITEM, danger && 'text-bad')}>
      {icon}
      <span className="min-w-0 truncate">{children}</span>
      {hint && <span className="ml-auto pl-4 text-hint text-muted">{hint}</span>}
    </Radix.Item>
  );
}

export function MenuChoices(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  choices: readonly { value: string; label: string; detail?: string }[];
}) {
  return (
    <Radix.RadioGroup value={props.value} onValueChange={props.onChange}>
      <Radix.Label className="px-2 pt-1.5 pb-1 text-hint text-faint">{props.label}</Radix.Label>
      {props.choices.map(({ value, label, detail }) => (
        <Radix.RadioItem key={value} value={value} className={ITEM}>
          <span className="w-3.5 shrink-0">
            <Radix.ItemIndicator>
              <Check aria-hidden className="size-3.5 text-accent" />
            </Radix.ItemIndicator>
          </span>
          <span className="min-w-0 truncate">{label}</span>
          {detail && <span className="ml-auto truncate pl-4 text-hint text-muted">{detail}</span>}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

export function MenuLine() {
  return <Radix.Separator className="my-1 h-px bg-line" />;
}
