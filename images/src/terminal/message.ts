import type { Size } from './shell.ts';

export interface Message {
  input?: string;
  size?: Size;
}

const MOST = 1000;

/** What a window says; undefined for what makes no sense. */
export function parseMessage(text: string): Message | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof message !== 'object' || message === null) return undefined;
  const { input, columns, rows } = message as Record<string, unknown>;
  const isCount = (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MOST;
  return {
    ...(typeof input === 'string' ? { input } : {}),
    ...(isCount(columns) && isCount(rows) ? { size: { columns, rows } } : {}),
  };
}
