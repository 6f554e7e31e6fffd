/**
 * What the client was told. Only answers change it, so that after the run it must equal the truth. Each deployment
 * belongs to one worker, whose requests come one after another; so the last answer decides.
 */
export interface Expected {
  name: string;
  template: 'whoami' | 'guestbook' | 'breakable';
  greeting: string;
  desired: 'running' | 'stopped';
  /** Pods of the web service. */
  replicas: number;
  paused: boolean;
  /** The greeting that serves on although a broken version is wanted; undefined while what is wanted can run. */
  served?: string;
  /** What each revision that can run greeted with, for going back to. */
  revisions: Map<number, { greeting: string; replicas: number }>;
  /** Entries that the guestbook acknowledged. */
  entries: string[];
}

export class Ledger {
  readonly deployments = new Map<string, Expected>();
  answers = 0;
  unanswered = 0;
  /** Requests on their way at this moment. */
  pending = 0;
  #onSend: (() => void)[] = [];

  sent(): void {
    this.pending += 1;
    for (const wake of this.#onSend.splice(0)) wake();
  }

  settled(answered: boolean): void {
    this.pending -= 1;
    if (answered) this.answers += 1;
    else this.unanswered += 1;
  }

  /** Resolves when the next request leaves. */
  nextRequest(): Promise<void> {
    return new Promise((resolve) => this.#onSend.push(resolve));
  }
}
