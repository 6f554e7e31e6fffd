import { classes } from './classes.ts';

/** One of a few, all in sight. */
export function Switcher<V extends string>(props: {
  label: string;
  value: string;
  onChange: (value: V) => void;
  choices: readonly { value: V; label: string }[];
}) {
  const { label, value, onChange, choices } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings its own look
    <div
      role="group"
      aria-label={label}
      className="inline-flex max-w-full overflow-x-auto rounded-control [scrollbar-width:none] border border-line bg-sunken p-0.5"
    >
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
          className={classes(
            'h-[26px] shrink-0 rounded-small px-2.5 font-medium -outline-offset-2 transition-colors duration-100 pointer-coarse:h-9',
            choice.value === value ? 'bg-panel text-text shadow-[0_0_0_1px_var(--line)]' : 'text-muted hover:text-text',
          )}
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}
