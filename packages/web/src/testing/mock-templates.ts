import { BerthError } from '@berth/core/errors';
import type { TemplateDetail, TemplateSummary } from '@berth/core/routes/template-routes';
import { readTemplate } from '@berth/core/template';
import { BLANK_TEMPLATE, compareVersions, withName, withVersion } from '../modules/template-text.ts';
import type { Handlers } from './mock-api.ts';

/** Templates of the mock: what ships, and what a team writes, kept while the mock runs. */
export function templateHandlers(shipped: readonly TemplateDetail[]): Handlers {
  /** By name: sources, newest first. */
  const own = new Map<string, { version: string; source: string }[]>([
    [
      'intranet',
      ['1.1.0', '1.0.0'].map((version) => ({
        version,
        source: withVersion(withName(BLANK_TEMPLATE, 'intranet'), version).replace('Hello', `Hello from ${version}`),
      })),
    ],
  ]);

  const sourceOf = (name: string, version?: string) => {
    const found = own.get(name)?.find((each) => version === undefined || each.version === version);
    if (found) return { name, ...found, owner: 'team' as const };
    const known = shipped.find((each) => each.name === name);
    if (!known) throw new BerthError('not_found', `There is no template "${name}"`);
    const source = withVersion(withName(BLANK_TEMPLATE, name), known.version);
    return { name, version: known.version, source, owner: 'berth' as const };
  };
  const ownDetail = (name: string): TemplateDetail => {
    const { source } = sourceOf(name);
    const { spec } = readTemplate(source, 'The template');
    return {
      name,
      owner: 'team',
      version: spec.version,
      displayName: spec.displayName,
      description: spec.description,
      category: spec.category,
      icon: spec.icon,
      services: spec.services.length,
      startSeconds: spec.startSeconds,
      versions: own.get(name)?.map(({ version }) => version) ?? [],
      readme: spec.readme,
      parameters: spec.parameters ?? [],
      exposed: spec.exposure !== undefined,
    };
  };
  const summary = ({
    versions: _v,
    readme: _r,
    parameters: _p,
    exposed: _e,
    ...rest
  }: TemplateDetail): TemplateSummary => rest;

  return {
    listTemplates: () => ({ items: [...[...own.keys()].map(ownDetail), ...shipped].map(summary) }),
    getTemplate: ({ params }) => {
      if (own.has(params.name)) return ownDetail(params.name);
      const known = shipped.find((each) => each.name === params.name);
      if (!known) throw new BerthError('not_found', `There is no template "${params.name}"`);
      return known;
    },
    getTemplateSource: ({ params, query }) => sourceOf(params.name, query.version),
    saveTemplate: ({ body }) => {
      const { metadata, spec } = readTemplate(body.source, 'The template');
      const versions = own.get(metadata.name) ?? [];
      if (metadata.name === 'refused') {
        throw new BerthError('invalid_input', 'The template is not right', {
          fields: [{ path: 'metadata.name', message: 'is refused by the mock' }],
        });
      }
      own.set(
        metadata.name,
        [{ version: spec.version, source: body.source }, ...versions].sort((a, b) =>
          compareVersions(b.version, a.version),
        ),
      );
      return ownDetail(metadata.name);
    },
    deleteTemplate: ({ params }) => {
      own.delete(params.name);
      return undefined;
    },
  };
}
