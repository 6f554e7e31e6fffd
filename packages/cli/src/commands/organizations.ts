import { PLANS } from '@berth/core/plans';
import { connect } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { findOrganizationId } from '../find-organization.ts';
import { show, table } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerOrganizations: Register = (program, context) => {
  const organizations = program
    .command('organizations')
    .alias('orgs')
    .summary('your organizations')
    .description('Your organizations: who pays, and whose teams they are.');
  withCommonOptions(organizations.command('list').description('Lists your organizations.')).action(
    (options: CommonOptions) => list(context, options),
  );
  withCommonOptions(
    organizations.command('create').description('Makes an organization with a first team.').argument('<name>'),
  ).action((name: string, options: CommonOptions) => create(context, name, options));
  withCommonOptions(
    organizations
      .command('rename')
      .description('Gives an organization another name.')
      .argument('<organization>', 'its name or id')
      .argument('<new-name>'),
  ).action((name: string, newName: string, options: CommonOptions) => rename(context, { name, newName }, options));
  withCommonOptions(
    organizations
      .command('add-team')
      .description('Makes a team in an organization.')
      .argument('<organization>', 'its name or id')
      .argument('<team>'),
  ).action((name: string, team: string, options: CommonOptions) => addTeam(context, { name, team }, options));
};

async function list(context: CliContext, options: CommonOptions): Promise<void> {
  const { items } = await connect(context, options).client.call('listOrganizations');
  const rows = items.map(({ id, name, plan, role }) => [name, PLANS[plan].displayName, role ?? '', id]);
  show(context, options.output, {
    json: items,
    text: () => table(context.output, ['NAME', 'PLAN', 'ROLE', 'ID'], rows),
  });
}

async function create(context: CliContext, name: string, options: CommonOptions): Promise<void> {
  const made = await connect(context, options).client.call('createOrganization', { body: { name } });
  show(context, options.output, { json: made, text: () => `${made.name} is there, with a first team\n` });
}

async function rename(
  context: CliContext,
  { name, newName }: { name: string; newName: string },
  options: CommonOptions,
): Promise<void> {
  const connection = connect(context, options);
  const organizationId = await findOrganizationId(connection, name);
  const changed = await connection.client.call('updateOrganization', {
    params: { organizationId },
    body: { name: newName },
  });
  show(context, options.output, { json: changed, text: () => `${name} is called ${changed.name} from now on\n` });
}

async function addTeam(
  context: CliContext,
  { name, team }: { name: string; team: string },
  options: CommonOptions,
): Promise<void> {
  const connection = connect(context, options);
  const organizationId = await findOrganizationId(connection, name);
  const made = await connection.client.call('createTeam', { params: { organizationId }, body: { name: team } });
  show(context, options.output, {
    json: made,
    text: () =>
      `${made.organizationName}/${made.name} is there: berth team use ${made.organizationName}/${made.name}\n`,
  });
}
