/**
 * Which release this page is of, and whether the servers are of a newer one by now. While they are replaced one by one, answers come
 * from both; so only what has been newer for a while counts, and a page that is newer than a server says nothing.
 */
export interface ReleaseWatch {
  /** What an answer said of itself; nothing when something between us and the server answered. */
  note(version: string | null): void;
  onNewer(listener: () => void): () => void;
  isNewer(): boolean;
}

declare const __BERTH_VERSION__: string | undefined;

const SETTLED_MILLISECONDS = 20_000;

export function createReleaseWatch(own: string | undefined, now: () => number = Date.now): ReleaseWatch {
  const listeners = new Set<() => void>();
  let newerSince: number | undefined;
  let told = false;
  return {
    note(version) {
      if (version === null || own === undefined || told) return;
      if (!isNewer(version, own)) {
        newerSince = undefined;
        return;
      }
      newerSince ??= now();
      if (now() - newerSince < SETTLED_MILLISECONDS) return;
      told = true;
      for (const listener of listeners) listener();
    },
    onNewer(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isNewer: () => told,
  };
}

export const release = createReleaseWatch(typeof __BERTH_VERSION__ === 'string' ? __BERTH_VERSION__ : undefined);

export const NEWER_RELEASE = 'A newer version of Berth is there: load this page again.';

/** A page's parts carry the name of their content: after an update those of an older page are gone. */
export function isGonePart(error: unknown): boolean {
  const words = error instanceof Error ? error.message : '';
  return /dynamically imported module|Importing a module script failed|Unable to preload CSS/.test(words);
}

const RELOADED_KEY = 'berth.reloaded';
const ONCE_IN_MILLISECONDS = 30_000;

/** Loads the page again, once: what is still missing then is not a matter of releases. False when that was just done. */
export function loadAgainOnce(
  reload: () => void = () => window.location.reload(),
  now: () => number = Date.now,
): boolean {
  try {
    if (now() - Number(sessionStorage.getItem(RELOADED_KEY) ?? 0) < ONCE_IN_MILLISECONDS) return false;
    sessionStorage.setItem(RELOADED_KEY, String(now()));
  } catch {
    return false; // Storage is switched off: to load again and again would be worse than to ask.
  }
  reload();
  return true;
}

function isNewer(version: string, than: string): boolean {
  const [theirs, ours] = [version, than].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number)) as [
    number[],
    number[],
  ];
  const at = theirs.findIndex((part, index) => part !== ours[index]);
  return at !== -1 && (theirs[at] ?? 0) > (ours[at] ?? 0);
}
