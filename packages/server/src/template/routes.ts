import type { TemplateDetail, TemplateSummary } from '@berth/core/routes/template-routes';
import type { Clock } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import type { Handlers } from '../http/handler.ts';
import { requireTemplateRow } from './find-template.ts';
import { findCurrentTemplates, findSource, findVersions, type TemplateRow } from './repository.ts';
import { retireTemplate, saveTemplate } from './save-template.ts';
import { writeTemplate } from './write-template.ts';

type TemplateRouteName = 'listTemplates' | 'getTemplate' | 'getTemplateSource' | 'saveTemplate' | 'deleteTemplate';

export function templateHandlers({
  database,
  clock,
}: {
  database: Database;
  clock: Clock;
}): Handlers<TemplateRouteName> {
  return {
    async listTemplates({ query }) {
      const rows = await findCurrentTemplates(database, { teamId: query.team });
      return { items: rows.map(summaryOf) };
    },

    async getTemplate({ params, query }) {
      const wanted = { name: params.name, version: query.version, teamId: query.team };
      return detailOf(database, await requireTemplateRow(database, wanted));
    },

    async getTemplateSource({ params, query }) {
      const wanted = { name: params.name, version: query.version, teamId: query.team };
      const row = await requireTemplateRow(database, wanted);
      const { name, version, teamId } = row;
      // An older release kept none: then it is written from what it means.
      const source = (await findSource(database, { name, version, teamId })) ?? writeTemplate(row);
      return { name, version, owner: ownerOf(row), source };
    },

    saveTemplate: ({ scope, body, actor, audit, transaction }) =>
      transaction(async (open) => {
        const own = { teamId: scope.teamId, source: body.source, by: actor.email };
        const row = await saveTemplate({ clock }, open, own);
        audit.target(row.name);
        audit.detail(`version ${row.version}`);
        return detailOf(open, row);
      }),

    deleteTemplate: ({ scope, params, transaction }) =>
      transaction((open) => retireTemplate(open, { teamId: scope.teamId, name: params.name })),
  };
}

function ownerOf({ teamId }: TemplateRow): 'berth' | 'team' {
  return teamId === undefined ? 'berth' : 'team';
}

function summaryOf(row: TemplateRow): TemplateSummary {
  const { name, spec } = row;
  return {
    name,
    version: spec.version,
    displayName: spec.displayName,
    description: spec.description,
    category: spec.category,
    icon: spec.icon,
    services: spec.services.length,
    startSeconds: spec.startSeconds,
    owner: ownerOf(row),
  };
}

async function detailOf(queryable: Queryable, row: TemplateRow): Promise<TemplateDetail> {
  const { name, teamId, spec } = row;
  return {
    ...summaryOf(row),
    versions: await findVersions(queryable, { name, teamId }),
    readme: spec.readme,
    parameters: spec.parameters ?? [],
    exposed: spec.exposure !== undefined,
  };
}
