import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import type { CheckResult } from './check.ts';

/** Results, the latest last, one JSON a line in a file that is cut to the latest now and then. */
export interface ResultFile {
  latest(count: number): CheckResult[];
  add(result: CheckResult): Promise<void>;
}

const KEPT = 10_000;

export async function openResultFile(file: string, kept = KEPT): Promise<ResultFile> {
  let results = parse(await read(file)).slice(-kept);
  let lines = Number.POSITIVE_INFINITY;
  let writing: Promise<void> = Promise.resolve();

  async function write(result: CheckResult): Promise<void> {
    results = [...results.slice(1 - kept), result];
    if (lines < 2 * kept) await appendFile(file, `${JSON.stringify(result)}\n`);
    else {
      // Also at the first one, which mends a line that was cut short.
      await writeFile(`${file}.new`, results.map((each) => `${JSON.stringify(each)}\n`).join(''));
      await rename(`${file}.new`, file);
      lines = results.length;
    }
    lines += 1;
  }

  return {
    latest: (count) => results.slice(-count).reverse(),
    add(result) {
      // One after the other; one that failed does not stop the next.
      writing = writing.catch(() => undefined).then(() => write(result));
      return writing;
    },
  };
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** A line that was cut short by a crash is left out. */
function parse(text: string): CheckResult[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as CheckResult];
    } catch {
      return [];
    }
  });
}
