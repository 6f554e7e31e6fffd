import { InvalidArgumentError } from 'commander';

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds between 1 and 86400.');
}
