import type { TemplateProblem } from '@berth/core/check-template';
import { CircleCheck } from 'lucide-react';

/** Everything that is wrong, each a way to its line. */
export function TemplateProblemList(props: { problems: readonly TemplateProblem[]; onGo: (line: number) => void }) {
  const { problems, onGo } = props;
  return (
    <section aria-label="What is wrong" className="border-t border-line">
      <p role="status" className="flex items-center gap-2 px-3.5 py-2 text-muted">
        {problems.length === 0 ? (
          <>
            <CircleCheck aria-hidden className="size-4 text-ok" /> Nothing is wrong.
          </>
        ) : (
          `${problems.length} ${problems.length === 1 ? 'thing is' : 'things are'} wrong.`
        )}
      </p>
      {problems.length > 0 && (
        <ul className="max-h-44 overflow-y-auto border-t border-line">
          {problems.map(({ path, message, line }) => (
            <li key={`${line} ${path} ${message}`}>
              <button
                type="button"
                onClick={() => onGo(line)}
                className="flex w-full gap-3 px-3.5 py-1.5 text-left -outline-offset-2 hover:bg-sunken"
              >
                <span className="numeric w-16 shrink-0 text-muted">line {line}</span>
                <span className="min-w-0 wrap-anywhere">
                  {path && <span className="mono mr-1.5 text-muted">{path}</span>}
                  <span className="text-bad">{message}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
