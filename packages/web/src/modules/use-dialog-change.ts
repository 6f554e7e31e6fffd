import type { Deployment } from '@berth/core/deployment';
import { useState } from 'react';
import { useChange, type Wish } from './use-deployment-actions.ts';

/** A change that a dialog asks for: the dialog stays with what went wrong, or `onDone` closes it. */
export function useDialogChange(onDone: (answer: Deployment) => void) {
  const change = useChange();
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const run = async (wish: Wish) => {
    if (pending) return;
    setPending(true);
    setFailure(undefined);
    try {
      onDone(await change(wish));
    } catch (error) {
      setFailure(error);
      setPending(false);
    }
  };
  return { pending, failure, run };
}
