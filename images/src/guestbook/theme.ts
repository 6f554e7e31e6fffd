/** Accents with at least 4.5:1 against the page in light and dark. */
export const THEMES = {
  indigo: { light: '#4338ca', dark: '#a5b4fc' },
  green: { light: '#15703c', dark: '#6ee7a0' },
  amber: { light: '#92500a', dark: '#fbbf5a' },
  rose: { light: '#be1248', dark: '#fda4b8' },
  slate: { light: '#3d4a5c', dark: '#c2cddb' },
} as const;

export type Theme = keyof typeof THEMES;

export function parseTheme(text: string | undefined): Theme {
  if (text === undefined || text === '') return 'indigo';
  if (Object.hasOwn(THEMES, text)) return text as Theme;
  throw new Error(`THEME must be one of ${Object.keys(THEMES).join(', ')}, not "${text}"`);
}
