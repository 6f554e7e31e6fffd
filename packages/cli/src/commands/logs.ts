import type { Deployment } from '@berth/core/deployment';
import type { LogEvent } from '@berth/core/log-event';
import { InvalidArgumentError } from 'commander';
import type { CliContext } from '../context.ts';
import { readEventStream } from '../event-stream.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { paint } from '../output.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

interface LogsOptions extends CommonOptions {
  service?: string;
  follow?: boolean;
  tail: number;
  timestamps?: boolean;
}

export const registerLogs: Register = (program, context) => {
  withCommonOptions(
    program
      .command('logs')
      .summary('what a service writes')
      .description('Shows the log of a service.')
      .argument('<name>')
      .option('--service <service>', 'which one, where there are several')
      .option('-f, --follow', 'go on with new lines')
      .option('--tail <lines>', 'how many of the last lines', parseTail, 200)
      .option('--timestamps', 'when each line was written'),
  ).action((name: string, options: LogsOptions) => logs(context, name, options));
};

async function logs(context: CliContext, name: string, options: LogsOptions): Promise<void> {
  const { connection, deployment } = await findDeployment(context, name, options);
  const response = await connection.client.send('streamLogs', {
    params: { id: deployment.id },
    query: {
      service: chooseService(deployment, options.service),
      tail: options.tail,
      follow: options.follow ? 'true' : 'false',
    },
    signal: context.signal,
  });
  for await (const { data } of readEventStream(response)) write(context, JSON.parse(data) as LogEvent, options);
}

function write({ output }: CliContext, event: LogEvent, options: LogsOptions): void {
  if (event.type === 'end' || event.type === 'resumed') return;
  if (event.type === 'notice') {
    output.note(`${paint(output, 'grey', event.message)}\n`);
    return;
  }
  if (options.output === 'json') {
    output.write(`${JSON.stringify({ at: event.at, pod: event.pod, text: event.text })}\n`);
    return;
  }
  const at = options.timestamps ? `${paint(output, 'grey', event.at)} ` : '';
  output.write(`${at}${event.text}\n`);
}

function chooseService(deployment: Deployment, wanted: string | undefined): string {
  const names = deployment.services.map(({ name }) => name);
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted;
    throw new CliError(
      EXIT_CODES.notFound,
      `${deployment.name} has no service "${wanted}"; it has ${names.join(', ')}`,
    );
  }
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  throw new CliError(
    EXIT_CODES.usage,
    `${deployment.name} has several services: add --service with one of ${names.join(', ')}`,
  );
}

function parseTail(text: string): number {
  const lines = Number(text);
  if (Number.isInteger(lines) && lines >= 0 && lines <= 5000) return lines;
  throw new InvalidArgumentError('It must be a number between 0 and 5000.');
}
