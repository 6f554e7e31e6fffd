import { useSyncExternalStore } from 'react';

/** The two windows that can open from anywhere. At most one is open. */
export type Overlay = 'palette' | 'shortcuts';

let open: Overlay | undefined;
const listeners = new Set<() => void>();

export function useOverlay(): Overlay | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
}

export function setOverlay(overlay: Overlay | undefined): void {
  open = overlay;
  for (const listener of listeners) listener();
}

export const openPalette = () => setOverlay('palette');
export const openShortcuts = () => setOverlay('shortcuts');
