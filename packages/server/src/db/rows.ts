import pg from 'pg';

/** How values of PostgreSQL become ours, without touching the driver's global settings. */
export const typeParsers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 && format !== 'binary'
      ? parseInt8
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/** Beyond 2^53 a number would silently be another one. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the database holds ${text}, which no number here can be`);
  return value;
}

/** `created_at` to `createdAt`, NULL to undefined. */
export function readRow<R extends object>(row: Record<string, unknown>): R {
  const read: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    read[camelCase(column)] = value === null ? undefined : value;
  }
  return read as R;
}

function camelCase(column: string): string {
  return column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
