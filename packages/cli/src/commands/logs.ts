import type { Deployment } from '@berth/core/deployment';
import { LOG_LEVELS, type LogEvent, type LogLevel, MAX_TAIL } from '@berth/core/log-event';
import { InvalidArgumentError, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { followEventStream, readEventStream } from '../event-stream.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { type Colour, paint } from '../output.ts';
import { type CommonOptions, collect, type Register, withCommonOptions } from './command.ts';

interface LogsOptions extends CommonOptions {
  service?: readonly string[];
  follow?: boolean;
  tail: number;
  since?: string;
  previous?: boolean;
  level?: LogLevel;
  grep?: string;
  timestamps?: boolean;
}

const LEVEL_COLOURS: Partial<Record<LogLevel, Colour>> = { error: 'red', warning: 'yellow', debug: 'grey' };

export const registerLogs: Register = (program, context) => {
  withCommonOptions(
    program
      .command('logs')
      .summary('what services write')
      .description('Shows the log of all services of a deployment, or of those that are named.')
      .argument('<name>')
      .option('--service <service>', 'only this one; may be repeated', collect)
      .option('-f, --follow', 'go on with new lines')
      .option('--tail <lines>', 'how many of the last lines of each pod', parseTail, 200)
      .option('--since <time>', 'how long ago (15m, 2h) or a time (2026-01-31T10:00:00Z)')
      .option('--previous', 'of the containers that ran before their last restart')
      .addOption(new Option('--level <level>', 'this level and above').choices(LOG_LEVELS))
      .option('--grep <text>', 'only lines that contain this')
      .option('--timestamps', 'when each line was written'),
  ).action((name: string, options: LogsOptions) => logs(context, name, options));
};

async function logs(context: CliContext, name: string, options: LogsOptions): Promise<void> {
  const { connection, deployment } = await findDeployment(context, name, options);
  const services = chooseServices(deployment, options.service);
  const write = createWriter(context, options, services.length);
  const input = {
    params: { id: deployment.id },
    query: {
      service: services.join(','),
      tail: options.tail,
      since: options.since,
      level: options.level,
      q: options.grep,
      previous: options.previous ? ('true' as const) : undefined,
      follow: options.follow ? ('true' as const) : ('false' as const),
    },
    signal: context.signal,
  };
  if (options.follow) {
    const stream = { name: 'streamLogs', input, ended: isEnd } as const;
    for await (const data of followEventStream(context, connection.client, stream)) write(JSON.parse(data) as LogEvent);
    return;
  }
  const response = await connection.client.send('streamLogs', input);
  for await (const { data } of readEventStream(response)) write(JSON.parse(data) as LogEvent);
}

function isEnd(data: string): boolean {
  const event = JSON.parse(data) as LogEvent;
  return event.type === 'end' && event.reason !== 'shutting_down';
}

/** With several services each line begins with the name of its own. */
function createWriter({ output }: CliContext, options: LogsOptions, services: number): (event: LogEvent) => void {
  return (event) => {
    if (event.type === 'end' || event.type === 'resumed') return;
    const prefix = services > 1 ? `${paint(output, 'bold', event.service)} ` : '';
    if (event.type === 'notice') {
      output.note(`${prefix}${paint(output, 'grey', event.message)}\n`);
      return;
    }
    if (options.output === 'json') {
      const { at, service, pod, level, text } = event;
      output.write(`${JSON.stringify({ at, service, pod, level, text })}\n`);
      return;
    }
    const at = options.timestamps ? `${paint(output, 'grey', event.at)} ` : '';
    const colour = event.level && LEVEL_COLOURS[event.level];
    output.write(`${prefix}${at}${colour && output.colours ? paint(output, colour, event.text) : event.text}\n`);
  };
}

function chooseServices(deployment: Deployment, wanted: readonly string[] | undefined): string[] {
  const names = [...deployment.services, ...deployment.jobs].map(({ name }) => name);
  if (wanted === undefined) return deployment.services.map(({ name }) => name);
  const unknown = wanted.find((each) => !names.includes(each));
  if (unknown === undefined) return [...wanted];
  throw new CliError(EXIT_CODES.notFound, `${deployment.name} has no service "${unknown}"; it has ${names.join(', ')}`);
}

function parseTail(text: string): number {
  const lines = Number(text);
  if (Number.isInteger(lines) && lines >= 0 && lines <= MAX_TAIL) return lines;
  throw new InvalidArgumentError(`It must be a number between 0 and ${MAX_TAIL}.`);
}
