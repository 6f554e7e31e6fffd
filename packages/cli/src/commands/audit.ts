import type { AuditRecord } from '@berth/core/audit';
import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { age, paint, show, table } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

interface AuditOptions extends CommonOptions {
  all?: boolean;
}

export const registerAudit: Register = (program, context) => {
  withCommonOptions(
    program
      .command('audit')
      .summary('who did what, and who was refused')
      .description('Shows the audit log of a team, newest first.')
      .option('--all', 'all of it, not only the newest hundred'),
  ).action((options: AuditOptions) => audit(context, options));
};

async function audit(context: CliContext, options: AuditOptions): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const items: AuditRecord[] = [];
  let cursor: string | undefined;
  do {
    const limit = options.all ? 500 : 100;
    const page = await connection.client.call('listAudit', { query: { team: team.id, limit, cursor } });
    items.push(...page.items);
    cursor = options.all ? page.next : undefined;
  } while (cursor !== undefined);
  const { output } = context;
  const rows = items.map((each) => [
    age(each.at, context.now()),
    each.actor,
    each.action,
    each.outcome === 'allowed' ? each.outcome : paint(output, 'red', each.outcome),
    each.target ?? '',
    each.detail ?? '',
  ]);
  show(context, options.output, {
    json: items,
    text: () => table(output, ['AGE', 'WHO', 'WHAT', 'OUTCOME', 'TARGET', 'DETAIL'], rows),
  });
}
