import { ROUTES } from '@berth/core/api';
import type { AuditRecord } from '@berth/core/audit';
import { PERMISSIONS } from '@berth/core/permissions';
import type { Route } from '@berth/core/route';

/** What was done or tried, in words: what the route is for, else what the permission allows, else as it is written. */
export function auditWords(record: Pick<AuditRecord, 'action' | 'method' | 'route'>): string {
  const routes: Route[] = Object.values(ROUTES);
  const route = routes.find((each) => each.method === record.method && each.path === record.route);
  // The part after a colon or semicolon explains; the record needs only the deed.
  const summary = route?.summary.split(/[:;]/)[0];
  const words = summary ?? Object.entries(PERMISSIONS).find(([name]) => name === record.action)?.[1] ?? record.action;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
