import type { Deployment } from '@berth/core/deployment';
import { ArrowUpRight } from 'lucide-react';

/** An address in running text. */
export const ADDRESS_LOOK =
  'mono relative inline-flex max-w-full min-w-0 items-center gap-1 text-muted hover:text-text hover:underline';

/** The public address, to click. A deployment without one is reached only by its team's own services. */
export function DeploymentAddress({ deployment, tag }: { deployment: Deployment; tag?: boolean }) {
  if (!deployment.url) return <span className="text-faint">{tag ? '' : '–'}</span>;
  const text = deployment.url.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return (
    <a
      href={deployment.url}
      target="_blank"
      rel="noreferrer"
      className={
        tag
          ? 'mono inline-flex min-w-0 items-center gap-1 rounded-control border border-line px-1.5 text-muted transition-colors duration-100 hover:border-line-strong hover:text-text'
          : ADDRESS_LOOK
      }
    >
      <span className="truncate">{text}</span>
      <ArrowUpRight aria-hidden className="size-3 shrink-0" />
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}
