import { icons } from 'lucide-react';
import type { ReactNode } from 'react';

/** Any Lucide icon by its name, `message-square` or `MessageSquare`. A chunk of its own: all of them are large. */
export function AnyIcon({ name, className, fallback }: { name: string; className: string; fallback: ReactNode }) {
  const key = name.replace(/(?:^|-)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
  const Icon = (icons as Record<string, (typeof icons)['Box'] | undefined>)[key];
  return Icon ? <Icon className={className} strokeWidth={1.75} /> : fallback;
}
