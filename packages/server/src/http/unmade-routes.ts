import { ROUTES, type RouteName } from '@berth/core/api';
import type { Route } from '@berth/core/route';

/** Routes of the contract that are being built: not mounted, so a 404. Whoever makes a handler takes its name out; empty, the file goes. */
export type UnmadeRoute = 'getHealth';

export type MadeRoute = Exclude<RouteName, UnmadeRoute>;

/** Every route that is mounted. */
export const MADE_ROUTES = () => Object.entries(ROUTES).filter(([name]) => !UNMADE.has(name)) as [MadeRoute, Route][];

export const UNMADE: ReadonlySet<string> = new Set<UnmadeRoute & RouteName>(['getHealth']);
