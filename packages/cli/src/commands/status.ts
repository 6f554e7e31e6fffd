import type { Deployment } from '@berth/core/deployment';
import type { CliContext } from '../context.ts';
import { type FoundDeployment, findDeployment } from '../find-deployment.ts';
import { followTeam } from '../follow-team.ts';
import { age, describeState, facts, harmless, paint, show, table } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

interface StatusOptions extends CommonOptions {
  watch?: boolean;
}

export const registerStatus: Register = (program, context) => {
  withCommonOptions(
    program
      .command('status')
      .summary('one deployment, service by service')
      .description('Shows one deployment, service by service, and what is wrong with it.')
      .argument('<name>')
      .option('-w, --watch', 'show it again whenever it changes'),
  ).action((name: string, options: StatusOptions) => status(context, name, options));
};

async function status(context: CliContext, name: string, options: StatusOptions): Promise<void> {
  const found = await findDeployment(context, name, options);
  if (options.watch) return watch(context, found, options);
  const { deployment } = found;
  show(context, options.output, { json: deployment, text: () => describeDeployment(context, deployment) });
}

async function watch(
  context: CliContext,
  { connection, team, deployment }: FoundDeployment,
  options: StatusOptions,
): Promise<void> {
  let shown = '';
  for await (const { deployments } of followTeam(context, connection.client, team.id)) {
    const now = deployments.find(({ id }) => id === deployment.id);
    if (!now) {
      context.output.write(`${deployment.name} is gone.\n`);
      return;
    }
    const text = describeDeployment(context, now);
    if (text === shown) continue;
    if (options.output === 'json') context.output.write(`${JSON.stringify(now)}\n`);
    else context.output.write(`${shown === '' ? '' : '\n'}${text}`);
    shown = text;
  }
}

export function describeDeployment({ output, now }: CliContext, deployment: Deployment): string {
  const head = facts(output, [
    ['Name', deployment.name],
    ['Title', deployment.displayName],
    ['State', describeState(output, deployment)],
    ['Message', deployment.message],
    ['Update', deployment.update?.state === 'stopped' ? deployment.update.message : undefined],
    ['Serves', servingRevision(deployment)],
    ['Address', deployment.url],
    [
      'Also at',
      deployment.addresses
        .slice(1)
        .map(({ url }) => url)
        .join(', '),
    ],
    ['Template', deployment.template && `${deployment.template.name} ${deployment.template.version}`],
    ['Revision', String(deployment.revision)],
    ['Made', `${age(deployment.createdAt, now())} ago by ${deployment.createdBy}`],
  ]);
  const rows = deployment.services.map((service) => [
    service.name,
    service.state,
    `${Math.min(service.ready, service.desired)}/${service.desired}`,
    String(service.restarts),
    service.image,
    service.message ?? service.reason ?? '',
  ]);
  const services = table(output, ['SERVICE', 'STATE', 'READY', 'RESTARTS', 'IMAGE', 'MESSAGE'], rows);
  const jobs = deployment.jobs.map((job) => [
    job.name,
    job.state,
    job.schedule ?? 'before start',
    job.lastRunAt ? `${age(job.lastRunAt, now())} ago` : '',
    job.message ?? '',
  ]);
  const runs = jobs.length > 0 ? `\n${table(output, ['JOB', 'STATE', 'WHEN', 'LAST RUN', 'MESSAGE'], jobs)}` : '';
  return `${head}\n${services}${runs}${lastLines(output, deployment)}`;
}

function servingRevision({ revision, update }: Deployment): string | undefined {
  const serving = update?.servingRevision;
  return serving === undefined || serving === String(revision) ? undefined : `revision ${serving}`;
}

function lastLines(output: CliContext['output'], { update }: Deployment): string {
  if (update?.state !== 'stopped' || !update.lastLines?.length) return '';
  const lines = update.lastLines.map((line) => `  ${harmless(line)}\n`).join('');
  return `\n${paint(output, 'grey', `The last lines of ${update.service ?? 'the pod that failed'}:`)}\n${lines}`;
}
