import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTemplate } from '@berth/core/template';
import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { show } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerTemplate: Register = (program, context) => {
  const template = program
    .command('template')
    .summary("write the team's own templates")
    .description("The team's own templates.");
  template
    .command('check')
    .summary('find what is wrong in a file; nothing is sent')
    .description('Checks a template file without a server. Errors name the field and the line.')
    .argument('<file>', 'YAML; - for standard input')
    .action((file: string) => check(context, file));
  withCommonOptions(
    template
      .command('save')
      .summary('save a file as a template, or as its next version')
      .description('Saves a template of the team, or a new version of one. A version never changes once it is there.')
      .argument('<file>', 'YAML; - for standard input'),
  ).action((file: string, options: CommonOptions) => save(context, file, options));
  withCommonOptions(
    template
      .command('source')
      .summary('print one as it was written')
      .description('Prints a template as it was written, comments and all.')
      .argument('<name>')
      .option('--version <version>', 'an earlier version of it'),
  ).action((name: string, options: CommonOptions & { version?: string }) => source(context, name, options));
  withCommonOptions(
    template
      .command('retire')
      .summary('take one out of the catalogue')
      .description('Takes a template of the team out of its catalogue. What was deployed from it stays.')
      .argument('<name>')
      .option('-y, --yes', 'do not ask'),
  ).action((name: string, options: CommonOptions & { yes?: boolean }) => retire(context, name, options));
};

async function check(context: CliContext, file: string): Promise<void> {
  const { metadata, spec } = readTemplate(await read(context, file), file);
  const { length } = spec.services;
  const services = length === 1 ? 'one service' : `${length} services`;
  context.output.write(`${file} is right: ${metadata.name} ${spec.version}, ${services}\n`);
}

async function save(context: CliContext, file: string, options: CommonOptions): Promise<void> {
  const text = await read(context, file);
  // Before anything is sent: the same rules, with the name of the file.
  readTemplate(text, file);
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const saved = await connection.client.call('saveTemplate', { body: { team: team.id, source: text } });
  show(context, options.output, {
    json: saved,
    text: () => `${saved.name} ${saved.version} is in the catalogue of ${team.organizationName}/${team.name}\n`,
  });
}

async function source(context: CliContext, name: string, options: CommonOptions & { version?: string }): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const found = await connection.client.call('getTemplateSource', {
    params: { name },
    query: { team: team.id, version: options.version },
  });
  show(context, options.output, { json: found, text: () => found.source });
}

async function retire(context: CliContext, name: string, options: CommonOptions & { yes?: boolean }): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  if (!options.yes) {
    if (!context.input.isTerminal)
      throw new CliError(EXIT_CODES.usage, 'nobody is there to be asked: add --yes to retire it');
    const answer = await context.input.ask(`Nobody can deploy ${name} any more. Type ${name} to retire it: `);
    if (answer.trim() !== name) throw new CliError(EXIT_CODES.failure, 'nothing was retired');
  }
  await connection.client.call('deleteTemplate', { params: { name }, query: { team: team.id } });
  context.output.write(`${name} is out of the catalogue; what was deployed from it stays\n`);
}

async function read(context: CliContext, file: string): Promise<string> {
  if (file === '-') return (await context.input.readAll()).toString('utf8');
  try {
    return readFileSync(resolve(context.currentDirectory, file), 'utf8');
  } catch (error) {
    throw new CliError(
      EXIT_CODES.usage,
      `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
