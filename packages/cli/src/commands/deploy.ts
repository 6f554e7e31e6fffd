import type { DeploymentPreview } from '@berth/core/deployment';
import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { bytes, facts, paint, paintPhase, show, table } from '../output.ts';
import { type GivenValues, readValues } from '../parameter-values.ts';
import { waitFor } from '../wait-for.ts';
import {
  type CommonOptions,
  collect,
  type Register,
  type WaitOptions,
  withCommonOptions,
  withWaitOptions,
} from './command.ts';

interface DeployOptions extends CommonOptions, GivenValues, WaitOptions {
  host?: string;
  version?: string;
  title?: string;
  alias?: readonly string[];
  dryRun?: boolean;
}

export const registerDeploy: Register = (program, context) => {
  const command = withWaitOptions(
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
      .option('--alias <host>', 'one more public address; may be repeated', collect)
      .option('--dry-run', 'show what would be made, and make nothing'),
  );
  withCommonOptions(command)
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
  const template = await client.call('getTemplate', {
    params: { name: what.template },
    query: { version, team: team.id },
  });
  const values = await readValues(context, template.parameters, options);
  const body = {
    team: team.id,
    name: what.name,
    template: what.template,
    version,
    displayName: title,
    host,
    aliases: options.alias && [...options.alias],
    values,
  };
  if (options.dryRun) {
    const preview = await client.call('previewDeployment', { body });
    return show(context, options.output, { json: preview, text: () => describePreview(context, preview) });
  }
  const deployment = await client.call('createDeployment', { body, idempotencyKey: context.newId() });
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

function describePreview({ output }: CliContext, preview: DeploymentPreview): string {
  const { services, jobs, uses, url, warnings, plan } = preview;
  const { used, allowed } = plan.deployments;
  const rows = services.map(({ name, image, replicas, volumes }) => [
    name,
    String(replicas),
    image,
    volumes.map((volume) => `${volume.name} ${volume.size}`).join(', '),
  ]);
  const head = facts(output, [
    ['Address', url],
    ['Requests', `${uses.cpu} cores, ${bytes(uses.memory)} memory, ${bytes(uses.storage)} storage`],
    ['Plan', allowed === undefined ? undefined : `${used} of ${allowed} deployments in use`],
  ]);
  const notes = warnings.map((warning) => `${paint(output, 'yellow', 'note:')} ${warning}\n`).join('');
  const jobRows = jobs.map(({ name, image, schedule }) => [name, schedule ?? 'before start', image]);
  const jobTable = jobs.length === 0 ? '' : `\n${table(output, ['JOB', 'WHEN', 'IMAGE'], jobRows)}`;
  return `${head}\n${table(output, ['SERVICE', 'PODS', 'IMAGE', 'VOLUMES'], rows)}${jobTable}${notes}Nothing was made.\n`;
}
