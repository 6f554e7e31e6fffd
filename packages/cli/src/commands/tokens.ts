import { InvalidArgumentError } from 'commander';
import { connect } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { age, show, table } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerTokens: Register = (program, context) => {
  const tokens = program
    .command('tokens')
    .summary('your API tokens')
    .description('Your API tokens: what programs sign in with.');
  withCommonOptions(tokens.command('list').description('Lists your tokens.')).action((options: CommonOptions) =>
    list(context, options),
  );
  withCommonOptions(
    tokens
      .command('create')
      .description('Makes a token. It is shown once.')
      .argument('<name>')
      .option('--days <days>', 'how long it is good for (for ever)', parseDays),
  ).action((name: string, options: CommonOptions & { days?: number }) => create(context, name, options));
  withCommonOptions(
    tokens.command('revoke').description('Revokes a token.').argument('<token>', 'its name or id'),
  ).action((token: string, options: CommonOptions) => revoke(context, token, options));
};

async function list(context: CliContext, options: CommonOptions): Promise<void> {
  const { items } = await connect(context, options).client.call('listTokens');
  const now = context.now();
  const rows = items.map(({ id, name, createdAt, lastUsedAt, expiresAt }) => [
    name,
    age(createdAt, now),
    lastUsedAt ? `${age(lastUsedAt, now)} ago` : 'never',
    expiresAt?.slice(0, 10) ?? 'never',
    id,
  ]);
  show(context, options.output, {
    json: items,
    text: () => table(context.output, ['NAME', 'AGE', 'USED', 'ENDS', 'ID'], rows),
  });
}

async function create(context: CliContext, name: string, options: CommonOptions & { days?: number }): Promise<void> {
  const made = await connect(context, options).client.call('createToken', {
    body: { name, expiresInDays: options.days },
  });
  context.output.note('This is shown once; keep it where only its program can read it.\n');
  show(context, options.output, { json: made, text: () => `${made.token}\n` });
}

async function revoke(context: CliContext, token: string, options: CommonOptions): Promise<void> {
  const { client } = connect(context, options);
  const { items } = await client.call('listTokens');
  const found = items.filter(({ id, name }) => id === token || name === token);
  const [one] = found;
  if (!one) throw new CliError(EXIT_CODES.notFound, `you have no token "${token}": "berth tokens list" shows yours`);
  if (found.length > 1)
    throw new CliError(EXIT_CODES.usage, `${found.length} tokens are named "${token}": name one by its id`);
  await client.call('deleteToken', { params: { id: one.id } });
  context.output.write(`${one.name} is revoked.\n`);
}

function parseDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 3650) return days;
  throw new InvalidArgumentError('It must be a number of days between 1 and 3650.');
}
