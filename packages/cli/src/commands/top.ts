import type { CurrentUse } from '@berth/core/metrics';
import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { bytes, cores, show, table } from '../output.ts';
import { watchEvery } from '../watch.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

interface TopOptions extends CommonOptions {
  watch?: boolean;
}

const MEASURED_EVERY_MS = 10_000;

export const registerTop: Register = (program, context) => {
  withCommonOptions(
    program
      .command('top')
      .summary('what services use now')
      .description('Shows the CPU, memory and requests of every service, the busiest first.')
      .argument('[name]', 'only this deployment')
      .option('-w, --watch', 'show it again as it is measured'),
  ).action((name: string | undefined, options: TopOptions) => top(context, name, options));
};

async function top(context: CliContext, name: string | undefined, options: TopOptions): Promise<void> {
  const connection = connect(context, options);
  const team = await findTeam(context, connection, options);
  const look = async () => {
    const { items } = await connection.client.call('listCurrentUse', { query: { team: team.id } });
    const shown = items.filter((each) => name === undefined || each.name === name).sort(busiestFirst);
    show(context, options.output, { json: shown, text: () => describe(context, shown) });
  };
  if (options.watch) await watchEvery(context, MEASURED_EVERY_MS, look);
  else await look();
}

function busiestFirst(a: CurrentUse, b: CurrentUse): number {
  return (b.cpu ?? -1) - (a.cpu ?? -1) || (b.memory ?? -1) - (a.memory ?? -1) || a.name.localeCompare(b.name);
}

function describe({ output }: CliContext, items: readonly CurrentUse[]): string {
  if (items.length === 0) return 'Nothing runs here.\n';
  const rows = items.map((each) => [
    each.name,
    each.service,
    String(each.pods),
    ofLimit(each.cpu, each.cpuLimit, cores),
    ofLimit(each.memory, each.memoryLimit, bytes),
    each.requests === undefined ? '' : `${each.requests.toFixed(1)}/s`,
    each.errors === undefined ? '' : `${each.errors.toFixed(1)}/s`,
  ]);
  const text = table(output, ['DEPLOYMENT', 'SERVICE', 'PODS', 'CPU', 'MEMORY', 'REQUESTS', 'ERRORS'], rows);
  const unmeasured = items.every(({ cpu, memory }) => cpu === undefined && memory === undefined);
  return unmeasured
    ? `${text}Nothing is measured yet: it takes some seconds, and a cluster that has metrics.k8s.io.\n`
    : text;
}

function ofLimit(value: number | undefined, limit: number | undefined, write: (value: number) => string): string {
  if (value === undefined) return '';
  return limit === undefined || limit === 0
    ? write(value)
    : `${write(value)} of ${write(limit)} (${Math.round((100 * value) / limit)} %)`;
}
