import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { facts, paintPhase, show } from '../output.ts';
import { type GivenValues, readValues } from '../parameter-values.ts';
import { parseSeconds } from '../seconds.ts';
import { waitFor } from '../wait-for.ts';
import { type CommonOptions, collect, type Register, withCommonOptions } from './command.ts';

interface DeployOptions extends CommonOptions, GivenValues {
  host?: string;
  version?: string;
  title?: string;
  wait?: boolean;
  timeout: number;
}

export const registerDeploy: Register = (program, context) => {
  withCommonOptions(
    program
      .command('deploy')
      .summary('deploy a template')
      .description('Deploys a template under a name of your choice.')
      .argument('<template>', 'its name, as "berth templates" lists it')
      .argument('<name>', 'what the deployment is to be called')
      .option('--set <parameter=value>', 'a value; may be repeated', collect)
      .option(
        '--secret <parameter[=@FILE|=-]>',
        'a secret: from a file or standard input, byte for byte, else asked for',
        collect,
      )
      .option('--host <host>', 'the public address (the name)')
      .option('--title <title>', 'how people see it (the name)')
      .option('--version <version>', 'the version of the template (the newest)')
      .option('--wait', 'wait until it runs, and fail when it does not')
      .option('--timeout <seconds>', 'how long to wait', parseSeconds, 300),
  )
    .addHelpText('after', '\nExample:\n  berth deploy guestbook my-book --set title="Our wedding" --wait')
    .action((template: string, name: string, options: DeployOptions) => deploy(context, { template, name }, options));
};

async function deploy(
  context: CliContext,
  what: { template: string; name: string },
  options: DeployOptions,
): Promise<void> {
  const connection = connect(context, options);
  const { client } = connection;
  const team = await findTeam(context, connection, options);
  const { host, version, title } = options;
  const template = await client.call('getTemplate', { params: { name: what.template }, query: { version } });
  const values = await readValues(context, template.parameters, options);
  const deployment = await client.call('createDeployment', {
    body: { team: team.id, name: what.name, template: what.template, version, displayName: title, host, values },
    idempotencyKey: context.newId(),
  });
  const goal = {
    what: 'to run',
    reached: (now: typeof deployment | undefined) => now?.phase === 'Running',
    timeoutMs: options.timeout * 1000,
  };
  const done = options.wait
    ? ((await waitFor(context, { connection, team, deployment }, goal)) ?? deployment)
    : deployment;
  show(context, options.output, {
    json: done,
    text: () =>
      facts(context.output, [
        ['Deployment', done.name],
        ['State', paintPhase(context.output, done.phase)],
        ['Address', done.url],
        ['Watch', options.wait ? undefined : `berth status ${done.name} --watch`],
      ]),
  });
}
