import { definitionTemplates } from './definition-templates.ts';
import { chartReadme } from './readme.ts';
import { rulesTemplate } from './rules-template.ts';
import { valuesSchema, valuesYaml } from './value-documents.ts';

/** The generated files of the chart by their path. */
export function chartFiles(): Record<string, string> {
  const chart = 'deploy/chart';
  const definitions = Object.entries(definitionTemplates()).map(([name, text]) => [
    `${chart}/templates/definitions/${name}`,
    text,
  ]);
  return {
    ...Object.fromEntries(definitions),
    [`${chart}/README.md`]: chartReadme(),
    [`${chart}/templates/_rules.tpl`]: rulesTemplate(),
    [`${chart}/values.yaml`]: valuesYaml(),
    [`${chart}/values.schema.json`]: valuesSchema(),
  };
}
