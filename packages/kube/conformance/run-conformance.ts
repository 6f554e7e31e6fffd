import { randomUUID } from 'node:crypto';
import { AREAS } from './areas.ts';
import type { ConformanceCase, Note } from './conformance-case.ts';
import { type Difference, differencesOf } from './differences.ts';
import { type Report, reportOf } from './report.ts';
import { runCase } from './run-case.ts';
import type { Target } from './target.ts';

export interface Asked {
  area: string;
  case: ConformanceCase;
}

/** Cases at the same time, each in its own namespace. */
const AT_ONCE = 3;

export function casesOf(only: string | undefined): Asked[] {
  const areas = Object.keys(AREAS);
  if (only !== undefined && !areas.includes(only)) {
    throw new Error(`there is no area "${only}": choose of ${areas.join(', ')}`);
  }
  return areas
    .filter((area) => only === undefined || area === only)
    .flatMap((area) => (AREAS[area] ?? []).map((each) => ({ area, case: each })));
}

/** Asks both the same at the same time. */
export async function compareTargets(
  { embedded, real }: { embedded: Target; real: Target },
  { only, say = () => undefined }: { only?: string | undefined; say?: (sentence: string) => void } = {},
): Promise<Report> {
  const all = casesOf(only);
  const mayRun = (each: ConformanceCase) => each.needs === undefined || (embedded.runsPods && real.runsPods);
  const asked = all.filter((each) => mayRun(each.case));
  const leftOut = all.filter((each) => !mayRun(each.case)).map((each) => `${each.area}: ${each.case.name}`);
  const differences: Difference[] = [];
  let answers = 0;
  await inParallel(asked, async (each) => {
    const namespace = freshNamespace();
    const [ours, theirs] = await Promise.all([embedded, real].map((target) => runCase(target, each.case, namespace)));
    const found = differencesOf({ area: each.area, case: each.case.name }, ours ?? [], theirs ?? []);
    answers += theirs?.length ?? 0;
    differences.push(...found);
    say(`${each.area}: ${each.case.name}${found.length > 0 ? ` (${found.length} differences)` : ''}`);
  });
  const cases = asked.map((each) => ({ area: each.area, name: each.case.name }));
  const order = cases.map(({ area, name }) => `${area} ${name}`);
  const place = (each: Difference) => order.indexOf(`${each.area} ${each.case}`);
  differences.sort((a, b) => place(a) - place(b));
  return reportOf(differences, { cases, leftOut, answers });
}

/** What one cluster says to everything, by area and case. */
export async function askTarget(target: Target, only: string | undefined): Promise<Record<string, Note[]>> {
  const notes: Record<string, Note[]> = {};
  const asked = casesOf(only).filter((each) => each.case.needs === undefined || target.runsPods);
  await inParallel(asked, async (each) => {
    notes[`${each.area}: ${each.case.name}`] = await runCase(target, each.case, freshNamespace());
  });
  return notes;
}

function freshNamespace(): string {
  return `conf-${randomUUID().slice(0, 8)}`;
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
