import { useSyncExternalStore } from 'react';
import { release } from '../api/release.ts';
import { Button } from '../components/button.tsx';

/** A thin line on top once Berth was updated under an open page. The page goes on working; loading it again is for its person to say. */
export function ReleaseLine() {
  const newer = useSyncExternalStore(release.onNewer, release.isNewer);
  return (
    <div role="status">
      {newer && (
        <p
          data-newer-release
          className="flex flex-wrap items-center justify-center gap-x-3 gap-y-1 border-b border-line bg-info-soft px-4 py-1 text-hint text-info"
        >
          A newer version of Berth is there.
          <Button onClick={() => window.location.reload()}>Load it</Button>
        </p>
      )}
    </div>
  );
}
