/** Names of the shells of this browser tab, so that a page that is loaded again, or left for a moment, finds its shell. */
export interface ShellName {
  session: string;
  /** It was there before. */
  known: boolean;
}

export function shellName(place: string): ShellName {
  const key = keyOf(place);
  const stored = read(key);
  if (stored) return { session: stored, known: true };
  const session = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  write(key, session);
  return { session, known: false };
}

export function forgetShell(place: string): void {
  try {
    sessionStorage.removeItem(keyOf(place));
  } catch {
    return; // Storage is switched off: nothing was remembered.
  }
}

function keyOf(place: string): string {
  return `berth.shell.${place}`;
}

function read(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined; // As above.
  }
}

function write(key: string, value: string): void {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    return; // As above.
  }
}
