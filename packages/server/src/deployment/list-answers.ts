/**
 * The newest answers to questions for a team's deployments, as JSON bytes. Everything that such an answer shows is told to event streams under
 * the team's position (`live/live-changes.ts`), so an answer is good as long as the position is the same: asking again costs
 * one small query instead of reading, shaping and writing a hundred deployments.
 */
export interface ListAnswers {
  /** The kept answer, or the one that `make` gives. */
  answer(question: ListQuestion, make: () => Promise<unknown>): Promise<Buffer>;
}

export interface ListQuestion {
  teamId: string;
  /** Read before the deployments are: what changes meanwhile moves it on, and the answer is not used again. */
  position: number;
  /** All else that the answer depends on. */
  details: unknown;
}

const MOST_BYTES = 16 * 1024 * 1024;

export function createListAnswers(mostBytes = MOST_BYTES): ListAnswers {
  /** By team and details; the least recently used first. */
  const kept = new Map<string, { position: number; json: Buffer }>();
  let bytes = 0;

  function forget(key: string): void {
    bytes -= kept.get(key)?.json.length ?? 0;
    kept.delete(key);
  }

  function keep(key: string, position: number, json: Buffer): void {
    forget(key);
    kept.set(key, { position, json });
    bytes += json.length;
    for (const oldest of kept.keys()) {
      if (bytes <= mostBytes) break;
      forget(oldest);
    }
  }

  return {
    async answer({ teamId, position, details }, make) {
      const key = JSON.stringify([teamId, details]);
      const found = kept.get(key);
      const json = found?.position === position ? found.json : Buffer.from(JSON.stringify(await make()));
      keep(key, position, json);
      return json;
    },
  };
}
