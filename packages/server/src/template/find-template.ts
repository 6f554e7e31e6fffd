import { BerthError } from '@berth/core/errors';
import type { Template } from '@berth/core/template';
import { API_VERSION } from '@berth/core/user-deployment';
import type { Queryable } from '../db/database.ts';
import { findCurrentTemplate, findTemplateVersion, type TemplateRow } from './repository.ts';

export interface TemplateWanted {
  name: string;
  /** The one that is offered now when absent. */
  version?: string | undefined;
  /** Whose own templates count beside those that ship. */
  teamId?: string | undefined;
}

export async function findTemplate(queryable: Queryable, wanted: TemplateWanted): Promise<Template> {
  return toTemplate(await requireTemplateRow(queryable, wanted));
}

export async function requireTemplateRow(queryable: Queryable, wanted: TemplateWanted): Promise<TemplateRow> {
  const { name, version, teamId } = wanted;
  const row = await (version === undefined
    ? findCurrentTemplate(queryable, { name, teamId })
    : findTemplateVersion(queryable, { name, version, teamId }));
  if (row) return row;
  const which = version === undefined ? `"${name}"` : `"${name}" in version ${version}`;
  throw new BerthError('not_found', `The catalogue has no template ${which}; see the list of templates`);
}

export function toTemplate(row: Pick<TemplateRow, 'name' | 'spec'>): Template {
  return { apiVersion: API_VERSION, kind: 'Template', metadata: { name: row.name }, spec: row.spec };
}
