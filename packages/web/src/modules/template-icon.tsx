import {
  Activity,
  BookOpen,
  Box,
  ChartLine,
  CircleUser,
  Code,
  Container,
  Database,
  FileText,
  GitBranch,
  Globe,
  Hand,
  HardDrive,
  KeyRound,
  type LucideIcon,
  Mail,
  MessageSquareText,
  Monitor,
  Network,
  NotebookPen,
  Server,
  ShoppingCart,
  Terminal,
} from 'lucide-react';
import { lazy, Suspense } from 'react';
import { classes } from '../components/classes.ts';

/** Icons that templates are likely to name; any other Lucide icon is fetched when a template asks for it. */
const USUAL: Record<string, LucideIcon> = {
  activity: Activity,
  'book-open': BookOpen,
  box: Box,
  'chart-line': ChartLine,
  'circle-user': CircleUser,
  code: Code,
  container: Container,
  database: Database,
  'file-text': FileText,
  'git-branch': GitBranch,
  globe: Globe,
  hand: Hand,
  'hard-drive': HardDrive,
  'key-round': KeyRound,
  mail: Mail,
  'message-square-text': MessageSquareText,
  monitor: Monitor,
  network: Network,
  'notebook-pen': NotebookPen,
  server: Server,
  'shopping-cart': ShoppingCart,
  terminal: Terminal,
};
const GROUNDS = ['bg-accent-soft text-accent', 'bg-info-soft text-info', 'bg-sleep-soft text-sleep'];
const AnyIcon = lazy(() => import('./any-icon.tsx').then((module) => ({ default: module.AnyIcon })));

export function TemplateIcon({ name, icon, small }: { name: string; icon?: string; small?: boolean }) {
  const ground = GROUNDS[[...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % GROUNDS.length];
  const size = small ? 'size-4' : 'size-[18px]';
  const Usual = icon ? USUAL[icon] : undefined;
  const letter = <>{name.charAt(0).toUpperCase()}</>;
  return (
    <span
      aria-hidden
      className={classes(
        'grid shrink-0 place-items-center rounded-panel font-semibold',
        ground,
        small ? 'size-6' : 'size-[34px]',
      )}
    >
      {Usual ? (
        <Usual className={size} strokeWidth={1.75} />
      ) : icon ? (
        <Suspense fallback={letter}>
          <AnyIcon name={icon} className={size} fallback={letter} />
        </Suspense>
      ) : (
        letter
      )}
    </span>
  );
}
