import type { KubeObject } from '../schema/object.ts';
import type { Logger } from './logger.ts';
import type { Change } from './object-cache.ts';

export type ChangeHandler<T> = (change: Change<T>) => void;

/** Calls every handler with every change, in order. One that fails is logged and misses that change, nothing else. */
export interface ChangeHandlers<T> {
  /** The name is for logs. The result ends it. */
  add(name: string, handle: ChangeHandler<T>, known: T[]): () => void;
  tell(changes: Change<T>[]): void;
}

export function createChangeHandlers<T extends KubeObject>(logger: Logger): ChangeHandlers<T> {
  const handlers = new Set<{ name: string; handle: ChangeHandler<T> }>();

  function call(handler: { name: string; handle: ChangeHandler<T> }, change: Change<T>): void {
    const complain = (err: unknown) => {
      logger.error({ handler: handler.name, ...namesOf(change.object), err }, 'change handler failed');
    };
    try {
      // An async function passes as a handler: its rejection must not end the process.
      const result: unknown = handler.handle(change);
      if (result instanceof Promise) result.catch(complain);
    } catch (error) {
      complain(error);
    }
  }

  return {
    add(name, handle, known) {
      const handler = { name, handle };
      for (const object of known) call(handler, { type: 'added', object });
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    tell(changes) {
      // One that a handler adds knows these changes already.
      const present = [...handlers];
      for (const change of changes) for (const handler of present) call(handler, change);
    },
  };
}

/** How objects appear in logs. */
export function namesOf(object: KubeObject): { namespace?: string | undefined; name: string } {
  return { namespace: object.metadata.namespace, name: object.metadata.name };
}
