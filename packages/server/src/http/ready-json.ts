/** An answer that is JSON text already, and is sent as it is: for what is asked often and changes seldom. */
const TEXT = Symbol('JSON text');

export interface ReadyJson {
  readonly [TEXT]: string;
}

export function readyJson(text: string): ReadyJson {
  return { [TEXT]: text };
}

/** The text of such an answer; undefined for any other. */
export function readyText(answer: unknown): string | undefined {
  return typeof answer === 'object' && answer !== null && TEXT in answer ? (answer as ReadyJson)[TEXT] : undefined;
}
