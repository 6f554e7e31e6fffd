import type { ReactNode } from 'react';

/** An empty place says what it is for and offers the next step. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-1 px-6 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children && <p className="max-w-[52ch] text-muted text-pretty">{children}</p>}
      {action && <div className="mt-3 flex gap-2">{action}</div>}
    </div>
  );
}
