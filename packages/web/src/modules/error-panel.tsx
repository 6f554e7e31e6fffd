import { isProblem, messageOf } from '../api/problem.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';

/** A part of a page that could not be read: the words, a way to try again, and the code to copy. */
export function ErrorPanel({ what, error, retry }: { what: string; error: unknown; retry?: () => void }) {
  const requestId = isProblem(error) ? error.problem.requestId : undefined;
  return (
    <Banner tone="bad" title={`${what} could not be read`} action={retry && <Button onClick={retry}>Try again</Button>}>
      {messageOf(error)}
      {requestId && (
        <>
          {' '}
          Request <code>{requestId}</code>
        </>
      )}
    </Banner>
  );
}
