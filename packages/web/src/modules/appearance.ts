import { useSyncExternalStore } from 'react';

/** Theme and density, remembered by the browser. `public/appearance.js` sets them before the first paint. */
export type Theme = 'system' | 'light' | 'dark';
export type Density = 'normal' | 'dense';
export interface Appearance {
  theme: Theme;
  density: Density;
}

const THEME_KEY = 'berth.theme';
const DENSITY_KEY = 'berth.density';
const listeners = new Set<() => void>();
let current: Appearance = { theme: readTheme(), density: read(DENSITY_KEY) === 'dense' ? 'dense' : 'normal' };

export function useAppearance(): Appearance {
  return useSyncExternalStore(subscribe, () => current);
}

export function setAppearance(change: Partial<Appearance>): void {
  current = { ...current, ...change };
  write(THEME_KEY, current.theme);
  write(DENSITY_KEY, current.density);
  apply();
  for (const listener of listeners) listener();
}

/** Follows the system's theme, and what another tab sets. */
export function watchAppearance(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
  window.addEventListener('storage', () => {
    current = { theme: readTheme(), density: read(DENSITY_KEY) === 'dense' ? 'dense' : 'normal' };
    apply();
    for (const listener of listeners) listener();
  });
}

function apply(): void {
  const systemIsDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const dark = current.theme === 'dark' || (current.theme === 'system' && systemIsDark);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  document.documentElement.dataset.density = current.density;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readTheme(): Theme {
  const stored = read(THEME_KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined; // Storage is switched off: nothing is remembered.
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    return; // As above.
  }
}
