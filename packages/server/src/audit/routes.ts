import { BerthError } from '@berth/core/errors';
import type { Database } from '../db/database.ts';
import type { Handlers } from '../http/handler.ts';
import { findTeamRecords } from './repository.ts';

const PAGE = 100;

export function auditHandlers({ database }: { database: Database }): Handlers<'listAudit'> {
  return {
    async listAudit({ scope, query }) {
      const limit = query.limit ?? PAGE;
      const before = query.cursor === undefined ? undefined : parseCursor(query.cursor);
      // One more than asked for tells whether there is a next page.
      const records = await findTeamRecords(database, { teamId: scope.teamId, before, limit: limit + 1 });
      const items = records.slice(0, limit);
      const next = records.length > limit ? items.at(-1)?.sequence : undefined;
      return { items, ...(next !== undefined && { next: String(next) }) };
    },
  };
}

function parseCursor(text: string): number {
  const sequence = Number(text);
  if (/^\d{1,15}$/.test(text) && Number.isSafeInteger(sequence)) return sequence;
  throw new BerthError('invalid_input', 'The cursor is not one that this list gave; leave it out to start again', {
    fields: [{ path: 'cursor', message: 'is not from this list' }],
  });
}
