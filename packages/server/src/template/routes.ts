import type { TemplateDetail, TemplateSummary } from '@berth/core/routes/template-routes';
import type { TemplateSpec } from '@berth/core/template';
import type { Database } from '../db/database.ts';
import type { Handlers } from '../http/handler.ts';
import { findTemplate } from './find-template.ts';
import { findCurrentTemplates, findVersions } from './repository.ts';

export function templateHandlers({ database }: { database: Database }): Handlers<'listTemplates' | 'getTemplate'> {
  return {
    async listTemplates() {
      const rows = await findCurrentTemplates(database);
      return { items: rows.map(({ name, spec }) => summaryOf(name, spec)) };
    },

    async getTemplate({ params, query }) {
      const template = await findTemplate(database, params.name, query.version);
      const versions = await findVersions(database, params.name);
      return detailOf(params.name, template.spec, versions);
    },
  };
}

function summaryOf(name: string, spec: TemplateSpec): TemplateSummary {
  return {
    name,
    version: spec.version,
    displayName: spec.displayName,
    description: spec.description,
    category: spec.category,
    icon: spec.icon,
    services: spec.services.length,
    startSeconds: spec.startSeconds,
    owner: 'berth',
  };
}

function detailOf(name: string, spec: TemplateSpec, versions: string[]): TemplateDetail {
  return {
    ...summaryOf(name, spec),
    versions,
    readme: spec.readme,
    parameters: spec.parameters ?? [],
    exposed: spec.exposure !== undefined,
  };
}
