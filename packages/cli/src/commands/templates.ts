import type { Parameter } from '@berth/core/parameter';
import type { TemplateDetail } from '@berth/core/routes/template-routes';
import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { facts, show, table } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

interface TemplatesOptions extends CommonOptions {
  version?: string;
}

export const registerTemplates: Register = (program, context) => {
  withCommonOptions(
    program
      .command('templates')
      .summary('what can be deployed')
      .description('Lists the templates, or shows one with the parameters that it takes.')
      .argument('[name]')
      .option('--version <version>', 'an earlier version of it'),
  ).action((name: string | undefined, options: TemplatesOptions) =>
    name === undefined ? list(context, options) : detail(context, name, options),
  );
};

async function list(context: CliContext, options: CommonOptions): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const { items } = await connection.client.call('listTemplates', { query: { team: team.id } });
  show(context, options.output, {
    json: items,
    text: () =>
      table(
        context.output,
        ['NAME', 'VERSION', 'CATEGORY', 'DESCRIPTION'],
        items.map(({ name, version, category, description }) => [name, version, category, description]),
      ),
  });
}

async function detail(context: CliContext, name: string, options: TemplatesOptions): Promise<void> {
  const { version } = options;
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const template = await connection.client.call('getTemplate', { params: { name }, query: { version, team: team.id } });
  show(context, options.output, { json: template, text: () => describe(context, template) });
}

function describe({ output }: CliContext, template: TemplateDetail): string {
  const head = facts(output, [
    ['Name', template.name],
    ['Title', template.displayName],
    ['Description', template.description],
    ['Version', template.version],
    ['Versions', template.versions.length > 1 ? template.versions.join(', ') : undefined],
    ['Services', String(template.services)],
    ['Address', template.exposed ? 'yes' : 'none'],
  ]);
  if (template.parameters.length === 0) return `${head}\nIt takes no parameters.\n`;
  const rows = template.parameters.map((each) => [
    each.name,
    each.type,
    needed(each),
    accepts(each),
    each.help ?? each.label,
  ]);
  return `${head}\n${table(output, ['PARAMETER', 'TYPE', 'DEFAULT', 'TAKES', 'HELP'], rows)}`;
}

function needed(parameter: Parameter): string {
  if (parameter.type === 'secret') {
    if (parameter.generate) return 'generated';
    return parameter.required ? 'required' : '';
  }
  if (parameter.default !== undefined) return String(parameter.default);
  return parameter.type !== 'boolean' && parameter.required ? 'required' : '';
}

function accepts(parameter: Parameter): string {
  switch (parameter.type) {
    case 'choice':
      return parameter.choices.map(({ value }) => value).join(', ');
    case 'boolean':
      return 'true, false';
    case 'number':
      return range(parameter.min, parameter.max, parameter.unit ?? '');
    default:
      return parameter.maxLength === undefined ? '' : `up to ${parameter.maxLength} characters`;
  }
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return unit;
  const text = max === undefined ? `${min} or more` : min === undefined ? `up to ${max}` : `${min} to ${max}`;
  return unit === '' ? text : `${text} ${unit}`;
}
