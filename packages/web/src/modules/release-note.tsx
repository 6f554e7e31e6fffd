import { useState, useSyncExternalStore } from 'react';
import { release } from '../api/release.ts';
import { Button } from '../components/button.tsx';

/** Stands in a corner once Berth was updated under an open page, which goes on working: to load it again is for its person to say. */
export function ReleaseNote() {
  const newer = useSyncExternalStore(release.onNewer, release.isNewer);
  const [later, setLater] = useState(false);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-4 bottom-20 z-30 flex justify-end wide:bottom-4">
      {newer && !later && (
        <div
          data-newer-release
          className="pointer-events-auto flex flex-wrap items-center gap-x-3 gap-y-2 rounded-panel border border-line bg-panel px-3.5 py-2.5 shadow-floating"
        >
          A newer version of Berth is there.
          <div className="flex gap-2">
            <Button look="primary" onClick={() => window.location.reload()}>
              Load it
            </Button>
            <Button look="ghost" onClick={() => setLater(true)}>
              Later
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}
