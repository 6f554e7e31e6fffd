/**
 * Merges sequences that are each in order into one that is: holds one item of each, and reads on only where it took from. So a slow
 * reader slows all of them, and however long they are, memory is not.
 */
export async function* mergeBy<T>(sources: readonly AsyncIterable<T>[], keyOf: (item: T) => string): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  try {
    const heads: Head<T>[] = [];
    await Promise.all(
      iterators.map(async (iterator, order) => {
        const head = await next(iterator, order);
        if (head) heads.push(head);
      }),
    );
    while (heads.length > 0) {
      const first = heads.reduce((a, b) => (isBefore(keyOf(b.item), b, keyOf(a.item), a) ? b : a));
      yield first.item;
      const head = await next(first.iterator, first.order);
      if (head) first.item = head.item;
      else heads.splice(heads.indexOf(first), 1);
    }
  } finally {
    // Whoever stops early gives up the connections behind them too.
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}

interface Head<T> {
  iterator: AsyncIterator<T>;
  order: number;
  item: T;
}

async function next<T>(iterator: AsyncIterator<T>, order: number): Promise<Head<T> | undefined> {
  const result = await iterator.next();
  return result.done ? undefined : { iterator, order, item: result.value };
}

/** Of equal ones the earlier source comes first, so that the order does not depend on which answered first. */
function isBefore(a: string, { order }: { order: number }, b: string, other: { order: number }): boolean {
  return a < b || (a === b && order < other.order);
}
