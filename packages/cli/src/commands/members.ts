import { TEAM_ROLES, type TeamRole } from '@berth/core/permissions';
import type { Member } from '@berth/core/tenant';
import { Argument } from 'commander';
import { type Connection, connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { show, table } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerMembers: Register = (program, context) => {
  const members = program.command('members').summary('who is in a team').description('The people of a team.');
  const role = () => new Argument('<role>', 'what they may do').choices(TEAM_ROLES);
  withCommonOptions(members.command('list').description('Lists the people of a team.')).action(
    (options: CommonOptions) => list(context, options),
  );
  withCommonOptions(
    members.command('add').description('Adds a person who has an account.').argument('<email>').addArgument(role()),
  ).action((email: string, wanted: TeamRole, options: CommonOptions) => add(context, { email, role: wanted }, options));
  withCommonOptions(
    members.command('role').description("Changes a person's role.").argument('<email>').addArgument(role()),
  ).action((email: string, wanted: TeamRole, options: CommonOptions) =>
    change(context, { email, role: wanted }, options),
  );
  withCommonOptions(members.command('remove').description('Takes a person out of a team.').argument('<email>')).action(
    (email: string, options: CommonOptions) => remove(context, email, options),
  );
};

async function list(context: CliContext, options: CommonOptions): Promise<void> {
  const { items } = await open(context, options);
  const rows = items.map(({ email, name, role }) => [email, name, role]);
  show(context, options.output, {
    json: items,
    text: () => table(context.output, ['E-MAIL', 'NAME', 'ROLE'], rows),
  });
}

async function add(
  context: CliContext,
  body: { email: string; role: TeamRole },
  options: CommonOptions,
): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const member = await connection.client.call('addMember', { params: { teamId: team.id }, body });
  show(context, options.output, {
    json: member,
    text: () => `${member.email} is in ${team.organizationName}/${team.name} as ${member.role}\n`,
  });
}

async function change(
  context: CliContext,
  { email, role }: { email: string; role: TeamRole },
  options: CommonOptions,
): Promise<void> {
  const { connection, teamId, items } = await open(context, options);
  const { userId } = find(items, email);
  const member = await connection.client.call('updateMember', { params: { teamId, userId }, body: { role } });
  show(context, options.output, { json: member, text: () => `${email} is ${member.role} from now on\n` });
}

async function remove(context: CliContext, email: string, options: CommonOptions): Promise<void> {
  const { connection, teamId, items } = await open(context, options);
  await connection.client.call('removeMember', { params: { teamId, userId: find(items, email).userId } });
  context.output.write(`${email} is out of the team\n`);
}

async function open(
  context: CliContext,
  options: CommonOptions,
): Promise<{ connection: Connection; teamId: string; items: Member[] }> {
  const connection = connect(context, options);
  const { id: teamId } = await findTeam(context, connection, options);
  const { items } = await connection.client.call('listMembers', { params: { teamId } });
  return { connection, teamId, items };
}

function find(members: readonly Member[], email: string): Member {
  const member = members.find((each) => each.email === email.trim().toLowerCase());
  if (member) return member;
  throw new CliError(EXIT_CODES.notFound, `the team has no member ${email}: "berth members list" shows who is in it`);
}
