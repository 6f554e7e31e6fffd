import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { call } from '../api/client.ts';
import { isProblem, messageOf } from '../api/problem.ts';
import { meQuery } from '../api/queries/account.ts';
import { useFeedback } from '../components/feedback.tsx';
import { paths } from './paths.ts';

const KEY = 'berth.signed-out';

/** In development one is signed in by itself, but not against one's will: after a sign-out the page waits to be asked. */
export function wasSignedOutByHand(): boolean {
  try {
    return sessionStorage.getItem(KEY) === 'yes';
  } catch {
    return false; // Storage is switched off.
  }
}

export function setSignedOutByHand(signedOut: boolean): void {
  try {
    if (signedOut) sessionStorage.setItem(KEY, 'yes');
    else sessionStorage.removeItem(KEY);
  } catch {
    return; // As above.
  }
}

export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { toast } = useFeedback();
  return async () => {
    try {
      await call('signOut');
    } catch (error) {
      if (!isProblem(error, 'unauthenticated')) {
        toast({ tone: 'bad', text: `You are still signed in: ${messageOf(error)}` });
        return;
      }
    }
    setSignedOutByHand(true);
    await navigate(paths.signIn());
    // Nothing of one person is left in memory for the next.
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'config' });
    client.setQueryData(meQuery.queryKey, null);
  };
}
