import type { Handlers } from '../http/handler.ts';
import { forwardPort } from './forward-port.ts';
import { createShells, type ShellDeps } from './shells.ts';

export type ShellRouteName = 'openShell' | 'forwardPort';

export function shellRoutes(deps: ShellDeps): { handlers: Handlers<ShellRouteName>; stop(): Promise<void> } {
  const shells = createShells(deps);
  return {
    handlers: { openShell: shells.open, forwardPort: (context) => forwardPort(deps, context) },
    stop: shells.stop,
  };
}
