import type { TemplateSpec } from '@berth/core/template';
import type { Queryable, Transaction } from '../db/database.ts';

export interface TemplateRow {
  name: string;
  version: string;
  spec: TemplateSpec;
  current: boolean;
}

const TEMPLATE = 'select name, version, spec, current from templates';

export function findCurrentTemplates(database: Queryable): Promise<TemplateRow[]> {
  return database.query(`${TEMPLATE} where current order by spec->>'displayName', name`);
}

export async function findTemplateVersion(
  database: Queryable,
  name: string,
  version: string,
): Promise<TemplateRow | undefined> {
  return (await database.query<TemplateRow>(`${TEMPLATE} where name = $1 and version = $2`, [name, version]))[0];
}

export async function findCurrentTemplate(database: Queryable, name: string): Promise<TemplateRow | undefined> {
  return (await database.query<TemplateRow>(`${TEMPLATE} where name = $1 and current`, [name]))[0];
}

/** Newest first. */
export async function findVersions(database: Queryable, name: string): Promise<string[]> {
  const rows = await database.query<{ version: string }>(
    `select version from templates where name = $1 order by string_to_array(version, '.')::int[] desc`,
    [name],
  );
  return rows.map(({ version }) => version);
}

/** One process at a time changes the catalogue. */
export async function lockTemplates(transaction: Transaction): Promise<void> {
  await transaction.execute('lock table templates in share row exclusive mode');
}

export async function insertTemplate(
  transaction: Transaction,
  template: { name: string; version: string; spec: TemplateSpec; loadedAt: Date },
): Promise<void> {
  await transaction.execute(
    'insert into templates (name, version, spec, current, loaded_at) values ($1, $2, $3, false, $4)',
    [template.name, template.version, JSON.stringify(template.spec), template.loadedAt],
  );
}

export async function replaceTemplateSpec(
  transaction: Transaction,
  template: { name: string; version: string; spec: TemplateSpec; loadedAt: Date },
): Promise<void> {
  await transaction.execute('update templates set spec = $3, loaded_at = $4 where name = $1 and version = $2', [
    template.name,
    template.version,
    JSON.stringify(template.spec),
    template.loadedAt,
  ]);
}

/** Exactly these are offered; every other version stays for what was deployed from it. */
export async function setCurrentTemplates(
  transaction: Transaction,
  templates: readonly { name: string; version: string }[],
): Promise<void> {
  const names = templates.map(({ name }) => name);
  const versions = templates.map(({ version }) => version);
  const listed = '(name, version) in (select * from unnest($1::text[], $2::text[]))';
  // Two statements: the index that allows one current version of a name is checked row by row.
  await transaction.execute(`update templates set current = false where current and not ${listed}`, [names, versions]);
  await transaction.execute(`update templates set current = true where not current and ${listed}`, [names, versions]);
}
