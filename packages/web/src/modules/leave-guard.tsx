import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';

/** Asks before a page with unsaved changes is left. `passes` is asked at that moment: what was just saved leaves freely. */
export function LeaveGuard({ dirty, passes }: { dirty: boolean; passes: () => boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && !passes() && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [dirty]);
  return (
    <Dialog
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => !open && blocker.reset?.()}
      title="Leave without saving?"
    >
      <DialogBody>
        <p>What you wrote stays in this browser as a draft and is shown when you come back.</p>
      </DialogBody>
      <DialogActions>
        <Button look="ghost" onClick={() => blocker.reset?.()}>
          Stay
        </Button>
        <Button look="primary" onClick={() => blocker.proceed?.()}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  );
}
