import type { RevisionChange } from '@berth/core/deployment';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { classes } from '../components/classes.ts';
import { lineDiff, withoutFarLines } from './line-diff.ts';

/** Characters of a value that show without being asked for. */
const LONG = 160;
/** Lines of a difference that do. */
const MANY_LINES = 14;

/** What is different between two revisions, by what it belongs to. */
export function ChangeList({ changes, compact }: { changes: readonly RevisionChange[]; compact?: boolean }) {
  return (
    <ul aria-label="Changes">
      {[...Map.groupBy(changes, (each) => each.subject)].map(([subject, ofSubject]) => (
        <li
          key={subject}
          className={classes(
            'grid gap-x-6 gap-y-1 border-b border-line px-3.5 py-3 last:border-0',
            !compact && 'wide:grid-cols-[148px_minmax(0,1fr)]',
          )}
        >
          <h3 className="font-semibold wrap-anywhere">{subject}</h3>
          <dl className="grid min-w-0 gap-2">
            {ofSubject.map((change) => (
              <ChangeRow key={change.field} change={change} compact={compact} />
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

function ChangeRow({ change, compact }: { change: RevisionChange; compact: boolean | undefined }) {
  const { field, before, after } = change;
  const manyLines = [before, after].some((text) => text?.includes('\n'));
  return (
    <div
      className={classes(
        'grid min-w-0 gap-x-4 gap-y-0.5',
        !manyLines && (compact ? 'phone:grid-cols-[132px_minmax(0,1fr)]' : 'phone:grid-cols-[200px_minmax(0,1fr)]'),
      )}
    >
      <dt className="text-muted wrap-anywhere">{field}</dt>
      <dd className="min-w-0">
        {manyLines ? <LinesChange before={before ?? ''} after={after ?? ''} /> : <ShortChange change={change} />}
      </dd>
    </div>
  );
}

function ShortChange({ change: { before, after } }: { change: RevisionChange }) {
  return (
    <span className="flex min-w-0 flex-wrap items-start gap-x-2 gap-y-1">
      {before !== undefined && <Value kind="removed" text={before} />}
      {before !== undefined && after !== undefined && (
        <ArrowRight aria-hidden className="mt-[3px] size-3.5 shrink-0 text-faint" />
      )}
      {after !== undefined && <Value kind="added" text={after} />}
      {before === undefined && <span className="text-muted">added</span>}
      {after === undefined && <span className="text-muted">removed</span>}
    </span>
  );
}

const GROUNDS = { added: 'bg-ok-soft', removed: 'bg-bad-soft text-muted line-through decoration-bad/60' } as const;
const SPOKEN = { added: 'now ', removed: 'before ' } as const;

function Value({ kind, text }: { kind: 'added' | 'removed'; text: string }) {
  const [open, setOpen] = useState(false);
  const folded = text.length > LONG && !open;
  return (
    <span className="min-w-0">
      <span className="sr-only">{SPOKEN[kind]}</span>
      <span className={classes('mono rounded-small px-1.5 py-0.5 wrap-anywhere box-decoration-clone', GROUNDS[kind])}>
        {text === '' ? 'empty' : folded ? `${text.slice(0, LONG)}…` : text}
      </span>
      {folded && <MoreButton onClick={() => setOpen(true)}>Show all {text.length} characters</MoreButton>}
    </span>
  );
}

const LINE_LOOKS = { same: 'text-muted', added: 'bg-ok-soft', removed: 'bg-bad-soft' } as const;
const LINE_SIGNS = { same: ' ', added: '+', removed: '−' } as const;

function LinesChange({ before, after }: { before: string; after: string }) {
  const [open, setOpen] = useState(false);
  const all = withoutFarLines(lineDiff(before, after));
  const shown = open ? all : all.slice(0, MANY_LINES);
  return (
    <div className="overflow-hidden rounded-control border border-line">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto py-1 outline-none focus-visible:bg-sunken">
        {shown.map((line, index) =>
          line.kind === 'skipped' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
            <div key={index} className="px-3 py-0.5 text-faint">
              {line.count} {line.count === 1 ? 'line' : 'lines'} the same
            </div>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
            <div key={index} className={classes('w-max min-w-full px-3', LINE_LOOKS[line.kind])}>
              <span aria-hidden className="mr-2 text-faint select-none">
                {LINE_SIGNS[line.kind]}
              </span>
              {line.kind !== 'same' && <span className="sr-only">{line.kind} </span>}
              {line.text || ' '}
            </div>
          ),
        )}
      </pre>
      {shown.length < all.length && (
        <div className="border-t border-line px-3 py-1">
          <MoreButton onClick={() => setOpen(true)}>Show all {all.length} lines</MoreButton>
        </div>
      )}
    </div>
  );
}

function MoreButton({ onClick, children }: { onClick: () => void; children: React.ReactNode }) {
  return (
    <button type="button" onClick={onClick} className="text-hint font-medium text-accent hover:underline">
      {children}
    </button>
  );
}
