import { useEffect, useRef } from 'react';
import { type FormProblem, fieldId } from '../api/form-errors.ts';

/** Everything that is wrong with a form, each a link to its field. Takes the focus when a submit fails. */
export function ErrorList({ problems, attempt }: { problems: readonly FormProblem[]; attempt: number }) {
  const box = useRef<HTMLDivElement>(null);
  const some = problems.length > 0;
  useEffect(() => {
    if (attempt > 0 && some) box.current?.focus();
  }, [attempt, some]);
  if (!some) return undefined;
  return (
    <div
      ref={box}
      role="alert"
      tabIndex={-1}
      className="rounded-panel border border-bad/50 bg-bad-soft px-3.5 py-[11px] outline-none"
    >
      <p className="font-semibold">{problems.length === 1 ? 'One thing to fix' : `${problems.length} things to fix`}</p>
      <ul>
        {problems.map(({ path, message }) => (
          <li key={path}>
            <a
              href={`#${fieldId(path)}`}
              className="text-bad underline underline-offset-2"
              onClick={(event) => {
                event.preventDefault();
                document.getElementById(fieldId(path))?.focus();
              }}
            >
              {message}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
