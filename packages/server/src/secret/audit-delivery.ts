import { appendAudit } from '../audit/append-audit.ts';
import { SYSTEM_ACTORS } from '../audit/system-actors.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';

/** Who read which secret, and who tried to: names, never values. */
export interface DeliveryAudit {
  delivered(read: { teamId: string; target: string; address: string }): Promise<void>;
  /** At most one record a minute for one address: whoever tries without end must not fill the log. */
  denied(attempt: { address: string }): Promise<void>;
}

const QUIET_MS = 60_000;
const MOST_ADDRESSES = 10_000;

export function createDeliveryAudit({ database, clock }: { database: Database; clock: Clock }): DeliveryAudit {
  const quietUntil = new Map<string, number>();
  const common = { actor: SYSTEM_ACTORS.delivery, action: 'secret:read', method: 'GET', route: '/internal/secrets' };
  const append = (entry: {
    outcome: 'allowed' | 'denied';
    status: number;
    address: string;
    teamId?: string;
    target?: string;
  }) => database.transaction((transaction) => appendAudit(transaction, { ...common, ...entry, at: clock() }));

  return {
    delivered: (read) => append({ ...read, outcome: 'allowed', status: 200 }),
    async denied({ address }) {
      const now = clock().getTime();
      if ((quietUntil.get(address) ?? 0) > now) return;
      if (quietUntil.size >= MOST_ADDRESSES) quietUntil.clear();
      quietUntil.set(address, now + QUIET_MS);
      await append({ address, outcome: 'denied', status: 401 });
    },
  };
}
