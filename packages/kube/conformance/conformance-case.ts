import type { KubeClient } from '../src/client/client.ts';
import type { Request } from './requests.ts';

/**
 * One question to a cluster, of several steps, in a namespace of its own. It asserts nothing: what it was answered is noted and compared
 * with what another cluster answered.
 */
export interface ConformanceCase {
  /** A sentence; unique within its area. */
  name: string;
  /** Pods have to run for it. */
  needs?: 'node';
  run(scene: Scene): Promise<void>;
}

export interface Scene {
  client: KubeClient;
  namespace: string;
  /** Asks once and notes the answer, or what `show` makes of its body. */
  ask(what: string, request: Request, show?: Show): Promise<Answer>;
  /** Asks without a note. */
  send(request: Request): Promise<Answer>;
  /** Asks until the body is as wanted and notes that answer; one that never is gets noted too. */
  until(what: string, request: Request, wanted: Wanted): Promise<Answer>;
  /** What was seen in another way than by a request. */
  note(what: string, seen: unknown): void;
  /** Undone at the end, whatever happens; the namespace goes by itself. */
  afterwards(undo: () => Promise<unknown>): void;
}

export interface Wanted {
  holds: (body: Body) => boolean;
  show?: Show;
  /** 90 s when absent. Less where it is known that one of the two never gets there. */
  withinMs?: number;
}

/** What the answer was, before anything is taken out of it. */
export interface Answer {
  status: number;
  body: Body;
  warnings: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever a server says
export type Body = any;
export type Show = (body: Body) => unknown;

/** What a case was told, in order. */
export interface Note {
  what: string;
  /** Method and path, where it was a request. */
  asked?: string;
  seen: unknown;
}
