/** An answer that is JSON already, as bytes, and is sent as it is: for what is asked often and changes seldom. */
const BYTES = Symbol('JSON');

export interface ReadyJson {
  readonly [BYTES]: Buffer;
}

export function readyJson(bytes: Buffer): ReadyJson {
  return { [BYTES]: bytes };
}

/** The bytes of such an answer; undefined for any other. */
export function readyBytes(answer: unknown): Buffer | undefined {
  return typeof answer === 'object' && answer !== null && BYTES in answer ? (answer as ReadyJson)[BYTES] : undefined;
}
