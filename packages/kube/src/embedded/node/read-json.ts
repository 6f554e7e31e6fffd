import { readFileSync } from 'node:fs';

/** A file of the node's own. Undefined when it is missing or no JSON: what the node keeps can be found out again. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
