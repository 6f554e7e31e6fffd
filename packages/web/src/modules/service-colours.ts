/** A colour for each service, by its place in the list: the same on every page. As text, and as the variable behind it for charts. */
const COLOURS = [
  { text: 'text-accent', variable: '--accent' },
  { text: 'text-info', variable: '--info' },
  { text: 'text-sleep', variable: '--sleep' },
  { text: 'text-warn', variable: '--warn' },
  { text: 'text-ok', variable: '--ok' },
] as const;

export function colourOf(index: number): (typeof COLOURS)[number] {
  return COLOURS[Math.max(0, index) % COLOURS.length] ?? COLOURS[0];
}
