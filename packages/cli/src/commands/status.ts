import type { Deployment } from '@berth/core/deployment';
import { applyLiveEvent, type LiveEvent, type LiveState } from '@berth/core/live';
import type { CliContext } from '../context.ts';
import { followEventStream } from '../event-stream.ts';
import { type FoundDeployment, findDeployment } from '../find-deployment.ts';
import { age, facts, paintPhase, show, table } from '../output.ts';
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
  let state: LiveState = { deployments: [], activity: [] };
  let shown = '';
  const input = { query: { team: team.id }, signal: context.signal };
  for await (const data of followEventStream(context, connection.client, {
    name: 'streamEvents',
    input,
    ended: () => false,
  })) {
    state = applyLiveEvent(state, JSON.parse(data) as LiveEvent);
    const now = state.deployments.find(({ id }) => id === deployment.id);
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
    ['State', paintPhase(output, deployment.phase)],
    ['Message', deployment.message],
    ['Address', deployment.url],
    ['Template', deployment.template && `${deployment.template.name} ${deployment.template.version}`],
    ['Revision', String(deployment.revision)],
    ['Made', `${age(deployment.createdAt, now())} ago by ${deployment.createdBy}`],
  ]);
  const rows = deployment.services.map((service) => [
    service.name,
    service.state,
    `${service.ready}/${service.desired}`,
    String(service.restarts),
    service.image,
    service.message ?? service.reason ?? '',
  ]);
  return `${head}\n${table(output, ['SERVICE', 'STATE', 'READY', 'RESTARTS', 'IMAGE', 'MESSAGE'], rows)}`;
}
