/** One line of two texts beside each other. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}
/** Lines that did not change and are far from any that did. */
export interface SkippedLines {
  kind: 'skipped';
  count: number;
}

/** Beyond this many pairs of lines the middle is shown as replaced: nobody reads a finer answer, and it costs time and memory. */
const MAX_PAIRS = 1_000_000;
const CONTEXT = 2;

/** The lines of `after` with those of `before` that went, by a longest common subsequence. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const old = before.split('\n');
  const now = after.split('\n');
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  ) {
    end++;
  }
  return [
    ...lines('same', now.slice(0, start)),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...lines('same', now.slice(now.length - end)),
  ];
}

/** Long runs of what is the same give way to their number. */
export function withoutFarLines(diff: readonly DiffLine[]): (DiffLine | SkippedLines)[] {
  const near = new Set<number>();
  diff.forEach((line, index) => {
    if (line.kind === 'same') return;
    for (let at = index - CONTEXT; at <= index + CONTEXT; at++) near.add(at);
  });
  const shown: (DiffLine | SkippedLines)[] = [];
  diff.forEach((line, index) => {
    const last = shown.at(-1);
    const alone = near.has(index - 1) && near.has(index + 1);
    if (near.has(index) || alone) shown.push(line);
    else if (last?.kind === 'skipped') last.count++;
    else shown.push({ kind: 'skipped', count: 1 });
  });
  return shown;
}

function middle(old: readonly string[], now: readonly string[]): DiffLine[] {
  if (old.length * now.length > MAX_PAIRS) return [...lines('removed', old), ...lines('added', now)];
  // common[i][j]: how many lines the ends of both have in common, from i and j on.
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const diff: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      diff.push({ kind: 'same', text: now[j] ?? '' });
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) diff.push({ kind: 'removed', text: old[i++] ?? '' });
    else diff.push({ kind: 'added', text: now[j++] ?? '' });
  }
  return [...diff, ...lines('removed', old.slice(i)), ...lines('added', now.slice(j))];
}

function lines(kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}
