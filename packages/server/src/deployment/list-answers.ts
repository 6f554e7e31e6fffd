/**
 * The newest answers to questions for a team's deployments, as text. Everything that such an answer shows is told to event streams under
 * the team's position (`live/live-changes.ts`), so an answer is good as long as the position is the same: asking again costs
 * one small query instead of reading, shaping and writing a hundred deployments.
 */
export interface ListAnswers {
  /** The kept answer, or the one that `make` gives. */
  answer(question: ListQuestion, make: () => Promise<unknown>): Promise<string>;
}

export interface ListQuestion {
  teamId: string;
  /** Read before the deployments are: what changes meanwhile moves it on, and the answer is not used again. */
  position: number;
  /** All else that the answer depends on. */
  details: unknown;
}

const MOST_CHARACTERS = 16 * 1024 * 1024;

export function createListAnswers(mostCharacters = MOST_CHARACTERS): ListAnswers {
  /** By team and details; the least recently used first. */
  const kept = new Map<string, { position: number; text: string }>();
  let characters = 0;

  function forget(key: string): void {
    characters -= kept.get(key)?.text.length ?? 0;
    kept.delete(key);
  }

  function keep(key: string, position: number, text: string): void {
    forget(key);
    kept.set(key, { position, text });
    characters += text.length;
    for (const oldest of kept.keys()) {
      if (characters <= mostCharacters) break;
      forget(oldest);
    }
  }

  return {
    async answer({ teamId, position, details }, make) {
      const key = JSON.stringify([teamId, details]);
      const found = kept.get(key);
      const text = found?.position === position ? found.text : JSON.stringify(await make());
      keep(key, position, text);
      return text;
    },
  };
}
