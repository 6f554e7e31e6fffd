import { BerthError } from '@berth/core/errors';
import type { Template } from '@berth/core/template';
import { API_VERSION } from '@berth/core/user-deployment';
import type { Queryable } from '../db/database.ts';
import { findCurrentTemplate, findTemplateVersion, type TemplateRow } from './repository.ts';

/** The version that was asked for, or the one that the catalogue offers now. */
export async function findTemplate(database: Queryable, name: string, version?: string): Promise<Template> {
  const row = await (version === undefined
    ? findCurrentTemplate(database, name)
    : findTemplateVersion(database, name, version));
  if (row) return toTemplate(row);
  const which = version === undefined ? `"${name}"` : `"${name}" in version ${version}`;
  throw new BerthError('not_found', `The catalogue has no template ${which}; see the list of templates`);
}

export function toTemplate(row: TemplateRow): Template {
  return { apiVersion: API_VERSION, kind: 'Template', metadata: { name: row.name }, spec: row.spec };
}
