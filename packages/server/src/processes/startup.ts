/** What a process waits for before it can work: it lives, and tells whoever asks why it is not ready. */
export interface Startup {
  /** Undefined once everything is there. */
  problem(): string | undefined;
  waitsFor(sentence: string): void;
  done(): void;
}

export function createStartup(): Startup {
  let waiting: string | undefined = 'it is starting';
  return {
    problem: () => waiting,
    waitsFor(sentence) {
      waiting = sentence;
    },
    done() {
      waiting = undefined;
    },
  };
}
