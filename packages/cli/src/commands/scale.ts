import { MAX_REPLICAS } from '@berth/core/service';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { show } from '../output.ts';
import { runsRevision, waitFor } from '../wait-for.ts';
import { type CommonOptions, type Register, type WaitOptions, withCommonOptions, withWaitOptions } from './command.ts';

export const registerScale: Register = (program, context) => {
  withCommonOptions(
    withWaitOptions(
      program
        .command('scale')
        .summary('how many pods a service has')
        .description('Sets how many pods services have. It stays so when the deployment is updated.')
        .argument('<name>')
        .argument('<service=pods...>', 'such as web=3'),
    ),
  ).action((name: string, wanted: string[], options: CommonOptions & WaitOptions) =>
    scale(context, { name, wanted: wanted.map(parse) }, options),
  );
};

interface Wanted {
  service: string;
  replicas: number;
}

async function scale(
  context: CliContext,
  { name, wanted }: { name: string; wanted: readonly Wanted[] },
  options: CommonOptions & WaitOptions,
): Promise<void> {
  const found = await findDeployment(context, name, options);
  let { deployment } = found;
  for (const body of wanted) {
    deployment = await found.connection.client.call('scaleService', { params: { id: deployment.id }, body });
  }
  const changed = deployment;
  const goal = {
    what: 'to scale',
    reached: (now: typeof changed | undefined) => runsRevision(changed, now),
    timeoutMs: options.timeout * 1000,
  };
  const done = options.wait ? ((await waitFor(context, { ...found, deployment: changed }, goal)) ?? changed) : changed;
  show(context, options.output, {
    json: done,
    text: () =>
      wanted
        .map(({ service, replicas }) => `${name}: ${service} has ${replicas} ${replicas === 1 ? 'pod' : 'pods'}\n`)
        .join(''),
  });
}

function parse(text: string): Wanted {
  const [, service, number] = /^([^=]+)=(\d{1,4})$/.exec(text) ?? [];
  const replicas = Number(number);
  if (service !== undefined && replicas <= MAX_REPLICAS) return { service, replicas };
  throw new CliError(
    EXIT_CODES.usage,
    `"${text}" is not right: write SERVICE=PODS with 0 to ${MAX_REPLICAS}, such as web=3`,
  );
}
