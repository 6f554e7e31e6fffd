import type { TemplateSpec } from '@berth/core/template';
import type { Queryable, Transaction } from '../db/database.ts';

/** A row of `templates`. What ships belongs to no team. */
export interface TemplateRow {
  name: string;
  version: string;
  spec: TemplateSpec;
  current: boolean;
  teamId?: string;
  /** As it was written. */
  source?: string;
}

export interface NewTemplate {
  name: string;
  version: string;
  spec: TemplateSpec;
  source: string;
  loadedAt: Date;
  teamId?: string | undefined;
  madeBy?: string | undefined;
}

export interface OfTeam {
  teamId?: string | undefined;
}

const TEMPLATE = 'select name, version, spec, current, team_id from templates';
/** What a team wrote comes before what ships under the same name: it was there first. */
const VISIBLE = '(team_id is null or team_id = $1)';
const OWN_FIRST = 'team_id nulls last';

export function findCurrentTemplates(queryable: Queryable, { teamId }: OfTeam): Promise<TemplateRow[]> {
  return queryable.query(
    `select * from (
       select distinct on (name) name, version, spec, current, team_id from templates
       where current and ${VISIBLE} order by name, ${OWN_FIRST}) offered
     order by spec->>'displayName', name`,
    [teamId],
  );
}

export async function findTemplateVersion(
  queryable: Queryable,
  { teamId, name, version }: OfTeam & { name: string; version: string },
): Promise<TemplateRow | undefined> {
  const [row] = await queryable.query<TemplateRow>(
    `${TEMPLATE} where ${VISIBLE} and name = $2 and version = $3 order by ${OWN_FIRST} limit 1`,
    [teamId, name, version],
  );
  return row;
}

export async function findCurrentTemplate(
  queryable: Queryable,
  { teamId, name }: OfTeam & { name: string },
): Promise<TemplateRow | undefined> {
  const [row] = await queryable.query<TemplateRow>(
    `${TEMPLATE} where ${VISIBLE} and name = $2 and current order by ${OWN_FIRST} limit 1`,
    [teamId, name],
  );
  return row;
}

/** Of one that ships. */
export async function findShippedVersion(
  queryable: Queryable,
  { name, version }: { name: string; version: string },
): Promise<TemplateRow | undefined> {
  const [row] = await queryable.query<TemplateRow>(`${TEMPLATE} where team_id is null and name = $1 and version = $2`, [
    name,
    version,
  ]);
  return row;
}

/** Newest first; of a team's own, or of one that ships. */
export async function findVersions(
  queryable: Queryable,
  { teamId, name }: OfTeam & { name: string },
): Promise<string[]> {
  const rows = await queryable.query<{ version: string }>(
    `select version from templates where team_id is not distinct from $1 and name = $2
     order by string_to_array(version, '.')::int[] desc`,
    [teamId, name],
  );
  return rows.map(({ version }) => version);
}

export async function findSource(
  queryable: Queryable,
  { teamId, name, version }: OfTeam & { name: string; version: string },
): Promise<string | undefined> {
  const [row] = await queryable.query<{ source?: string }>(
    'select source from templates where team_id is not distinct from $1 and name = $2 and version = $3',
    [teamId, name, version],
  );
  return row?.source;
}

/** One process at a time changes the catalogue. */
export async function lockTemplates(transaction: Transaction): Promise<void> {
  await transaction.execute('lock table templates in share row exclusive mode');
}

export async function insertTemplate(transaction: Transaction, template: NewTemplate): Promise<void> {
  await transaction.execute(
    `insert into templates (name, version, spec, current, loaded_at, source, team_id, made_by)
     values ($1, $2, $3, false, $4, $5, $6, $7)`,
    [
      template.name,
      template.version,
      JSON.stringify(template.spec),
      template.loadedAt,
      template.source,
      template.teamId,
      template.madeBy,
    ],
  );
}

/** Of one that ships. */
export async function replaceTemplate(transaction: Transaction, template: NewTemplate): Promise<void> {
  await transaction.execute(
    'update templates set spec = $3, loaded_at = $4, source = $5 where team_id is null and name = $1 and version = $2',
    [template.name, template.version, JSON.stringify(template.spec), template.loadedAt, template.source],
  );
}

/** Of what ships exactly these are offered; every other version stays for what was deployed from it. */
export async function setCurrentTemplates(
  transaction: Transaction,
  templates: readonly { name: string; version: string }[],
): Promise<void> {
  const names = templates.map(({ name }) => name);
  const versions = templates.map(({ version }) => version);
  const listed = '(name, version) in (select * from unnest($1::text[], $2::text[]))';
  const set = (current: boolean) => `update templates set current = ${current} where team_id is null and`;
  // Two statements: the index that allows one current version of a name is checked row by row.
  await transaction.execute(`${set(false)} current and not ${listed}`, [names, versions]);
  await transaction.execute(`${set(true)} not current and ${listed}`, [names, versions]);
}

/** Of a team's own: this version is offered, or none. Returns how many were offered before. */
export async function offer(
  transaction: Transaction,
  { teamId, name, version }: { teamId: string; name: string; version?: string },
): Promise<number> {
  const before = await transaction.execute(
    'update templates set current = false where team_id = $1 and name = $2 and current',
    [teamId, name],
  );
  if (version !== undefined) {
    await transaction.execute('update templates set current = true where team_id = $1 and name = $2 and version = $3', [
      teamId,
      name,
      version,
    ]);
  }
  return before;
}
