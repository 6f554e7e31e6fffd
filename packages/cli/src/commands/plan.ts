import { PLAN_NAMES, PLANS, type PlanName } from '@berth/core/plans';
import { Argument } from 'commander';
import { connect } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { findOrganizationId } from '../find-organization.ts';
import { show } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

export const registerPlan: Register = (program, context) => {
  withCommonOptions(
    program
      .command('plan')
      .summary('give an organization another plan')
      .description(
        'Gives an organization another plan, which an administrator of the platform may do. A smaller plan takes nothing away; it refuses what would be new beyond it.',
      )
      .argument('<organization>', 'the name of one of yours, or the id of any')
      .addArgument(new Argument('<plan>', 'the plan').choices(PLAN_NAMES)),
  ).action((name: string, plan: PlanName, options: CommonOptions) => choose(context, { name, plan }, options));
};

async function choose(
  context: CliContext,
  { name, plan }: { name: string; plan: PlanName },
  options: CommonOptions,
): Promise<void> {
  const connection = connect(context, options);
  const organizationId = await findOrganizationId(connection, name);
  const changed = await connection.client.call('updatePlan', { params: { organizationId }, body: { plan } });
  show(context, options.output, {
    json: changed,
    text: () => `${changed.name} has the plan ${PLANS[changed.plan].displayName} from now on.\n`,
  });
}
