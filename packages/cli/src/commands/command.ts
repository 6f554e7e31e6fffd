import { type Command, Option } from 'commander';
import type { ConnectionOptions } from '../connection.ts';
import type { CliContext } from '../context.ts';
import type { OutputFormat } from '../output.ts';
import { parseSeconds } from '../seconds.ts';

/** What every command that asks a Berth takes. */
export interface CommonOptions extends ConnectionOptions {
  output: OutputFormat;
}

export type Register = (program: Command, context: CliContext) => void;

export function withCommonOptions(command: Command): Command {
  return command
    .option('--url <url>', 'which Berth (BERTH_URL; the one that runs from this folder; the last sign-in)')
    .option('--team <team>', 'which team (BERTH_TEAM; the one of "berth team use"; your personal one)')
    .addOption(
      new Option('-o, --output <format>', 'table for people, json for machines')
        .choices(['table', 'json'])
        .default('table'),
    );
}

export interface WaitOptions {
  wait?: boolean;
  timeout: number;
}

export function withWaitOptions(command: Command): Command {
  return command
    .option('--wait', 'wait until it is done, and fail when it does not come to that')
    .option('--timeout <seconds>', 'how long to wait', parseSeconds, 300);
}

/** For `--set a=1 --set b=2`. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}
