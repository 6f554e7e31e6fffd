import { classes } from './classes.ts';

/** Stands where text will come, in its size. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classes('skeleton block h-3', className)} />;
}

/** Rows of a list that is on its way. */
export function SkeletonRows({ rows = 4, label }: { rows?: number; label: string }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no identity
        <div key={row} className="row-height flex items-center gap-6 border-b border-line px-3.5 last:border-0">
          <Skeleton className="w-28" />
          <Skeleton className="w-20" />
          <Skeleton className="w-40 max-wide:hidden" />
          <Skeleton className="ml-auto w-12" />
        </div>
      ))}
    </div>
  );
}
