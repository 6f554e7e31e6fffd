import { classes } from './classes.ts';

/** How much of a limit is used. Where there is no limit nothing is drawn, in the same room, so that nothing jumps. */
export function Meter({ label, used, allowed }: { label: string; used: number; allowed: number | undefined }) {
  if (allowed === undefined) return <div className="h-1" />;
  const exact = allowed > 0 ? used / allowed : 0;
  const share = Math.min(1, exact);
  const ground = exact > 1 ? 'bg-bad' : exact >= 0.8 ? 'bg-warn' : 'bg-accent';
  return (
    // biome-ignore lint/a11y/useSemanticElements: the element cannot be drawn the same everywhere
    <div
      role="meter"
      aria-label={label}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={`${Math.round(share * 100)} %`}
      className="h-1 overflow-hidden rounded-full bg-sunken"
    >
      <div className={classes('h-full rounded-full', ground)} style={{ width: `${share * 100}%` }} />
    </div>
  );
}
