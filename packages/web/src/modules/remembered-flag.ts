/** A switch that this browser remembers. */
export function readFlag(key: string): boolean {
  try {
    return localStorage.getItem(key) === 'true';
  } catch {
    return false; // Storage is switched off.
  }
}

export function writeFlag(key: string, on: boolean): void {
  try {
    localStorage.setItem(key, String(on));
  } catch {
    return; // As above.
  }
}
