import { useEffect } from 'react';
import { isRouteErrorResponse, useRouteError } from 'react-router';
import { messageOf } from '../api/problem.ts';
import { isGonePart, loadAgainOnce } from '../api/release.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { NotFoundPage } from './NotFoundPage.tsx';

/** What stands where a page broke. After an update of Berth the old page's parts are gone: loading again brings the new ones. */
export function ErrorPage({ inside }: { inside?: boolean }) {
  const error = useRouteError();
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const isOldPage = isGonePart(error);
  useEffect(() => {
    if (isOldPage) loadAgainOnce();
  }, [isOldPage]);
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundPage />;
  const content = (
    <>
      <title>{isOldPage ? 'Load again · Berth' : 'Something broke · Berth'}</title>
      <h1 className="mb-4 text-title font-semibold">
        {isOldPage ? 'This page is of an older version' : 'Something broke on this page'}
      </h1>
      <Banner
        tone={isOldPage ? 'info' : 'bad'}
        title={messageOf(error)}
        action={
          <>
            <CopyButton text={details} label="Copy the details" />
            <Button look="primary" onClick={() => window.location.reload()}>
              Load again
            </Button>
          </>
        }
      >
        What runs is not affected.{isOldPage ? '' : ' Load the page again;'} If it breaks again, send the details to
        whoever runs Berth.
      </Banner>
    </>
  );
  return inside ? content : <main className="mx-auto max-w-[640px] px-4 pt-[18vh]">{content}</main>;
}
