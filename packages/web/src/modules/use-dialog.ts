import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/** Which dialog of a deployment is open, in the address: `?do=rollback&to=4`. So it can be linked to and comes back with Back. */
export const DIALOGS = ['rollback', 'scale', 'restart', 'clone'] as const;
export type DialogName = (typeof DIALOGS)[number];

/** What a dialog may be about. */
const SUBJECTS = ['to', 'of'] as const;
export type DialogSubject = Partial<Record<(typeof SUBJECTS)[number], string>>;

export interface DialogState {
  name: DialogName | undefined;
  subject: DialogSubject;
  open: (name: DialogName, subject?: DialogSubject) => void;
  close: () => void;
}

export function useDialog(): DialogState {
  const [search, setSearch] = useSearchParams();
  const set = useCallback(
    (name: DialogName | undefined, subject: DialogSubject) => {
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          for (const key of ['do', ...SUBJECTS]) next.delete(key);
          if (name) next.set('do', name);
          for (const [key, value] of Object.entries(subject)) next.set(key, value);
          return next;
        },
        { replace: true, preventScrollReset: true },
      );
    },
    [setSearch],
  );
  const asked = search.get('do');
  return {
    name: DIALOGS.find((each) => each === asked),
    subject: Object.fromEntries(SUBJECTS.map((key) => [key, search.get(key) ?? undefined])),
    open: (name, subject = {}) => set(name, subject),
    close: () => set(undefined, {}),
  };
}
