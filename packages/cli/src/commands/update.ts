import type { UpdateDeployment, UpdatePreview } from '@berth/core/deployment';
import type { Parameter } from '@berth/core/parameter';
import type { CliContext } from '../context.ts';
import { describeChanges } from '../describe-changes.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { type FoundDeployment, findDeployment } from '../find-deployment.ts';
import { paint, paintPhase, show } from '../output.ts';
import { type GivenValues, readValues } from '../parameter-values.ts';
import { runsRevision, waitFor } from '../wait-for.ts';
import {
  type CommonOptions,
  collect,
  type Register,
  type WaitOptions,
  withCommonOptions,
  withWaitOptions,
} from './command.ts';

interface UpdateOptions extends CommonOptions, GivenValues, WaitOptions {
  host?: string;
  alias?: readonly string[];
  noAlias?: boolean;
  version?: string;
  title?: string;
  ifRevision?: number;
  dryRun?: boolean;
}

export const registerUpdate: Register = (program, context) => {
  withCommonOptions(
    withWaitOptions(
      program
        .command('update')
        .summary('change values, version, address or title')
        .description('Changes a deployment. What is not named stays as it is; the pods are replaced one by one.')
        .argument('<name>')
        .option('--set <parameter=value>', 'a value; may be repeated', collect)
        .option('--secret <parameter[=@FILE|=-]>', 'a secret, as in "berth deploy"', collect)
        .option('--version <version>', 'another version of its template')
        .option('--host <host>', 'the public address')
        .option('--alias <host>', 'all public addresses beside it; may be repeated', collect)
        .option('--no-aliases', 'no public address beside it')
        .option('--title <title>', 'how people see it')
        .option('--dry-run', 'show what would change and which services would be down, and change nothing')
        .option('--if-revision <revision>', 'only when nobody changed it since this revision', Number),
    ),
  ).action((name: string, options: UpdateOptions & { aliases?: boolean }) =>
    update(context, name, { ...options, noAlias: options.aliases === false }),
  );
};

async function update(context: CliContext, name: string, options: UpdateOptions): Promise<void> {
  const found = await findDeployment(context, name, options);
  const { deployment, connection } = found;
  const body: UpdateDeployment = {
    ...(options.title !== undefined && { displayName: options.title }),
    ...(options.version !== undefined && { version: options.version }),
    ...(options.host !== undefined && { host: options.host }),
    ...(options.alias && { aliases: [...options.alias] }),
    ...(options.noAlias && { aliases: [] }),
    ...((options.set || options.secret) && { values: await nextValues(context, found, options) }),
  };
  if (Object.keys(body).length === 0) {
    throw new CliError(
      EXIT_CODES.usage,
      'nothing to change: name a value with --set, or a --version, --host or --title',
    );
  }
  if (options.dryRun) {
    const preview = await connection.client.call('previewUpdate', { params: { id: deployment.id }, body });
    return show(context, options.output, { json: preview, text: () => describePreview(context, preview) });
  }
  const headers = options.ifRevision === undefined ? undefined : { 'if-match': String(options.ifRevision) };
  const changed = await connection.client.call('updateDeployment', {
    params: { id: deployment.id },
    body,
    ...(headers && { headers }),
  });
  const same = changed.revision === deployment.revision;
  const goal = {
    what: 'to be updated',
    reached: (now: typeof changed | undefined) => runsRevision(changed, now),
    timeoutMs: options.timeout * 1000,
  };
  const waits = options.wait && !same && changed.desired === 'running' && !changed.paused;
  const done = waits ? ((await waitFor(context, { ...found, deployment: changed }, goal)) ?? changed) : changed;
  show(context, options.output, {
    json: done,
    text: () =>
      same
        ? `${name} is like that already\n`
        : `${name} is at revision ${done.revision} and ${paintPhase(context.output, done.phase)}\n`,
  });
}

function describePreview({ output }: CliContext, preview: UpdatePreview): string {
  const { changes, rolls, replaces, warnings } = preview;
  const notes = [
    ...(rolls.length > 0 ? [`without a gap: ${rolls.join(', ')}`] : []),
    ...(replaces.length > 0 ? [`down for some seconds: ${replaces.join(', ')}`] : []),
    ...warnings,
  ];
  const text = notes.map((note) => `${paint(output, 'yellow', 'note:')} ${note}\n`).join('');
  return `${describeChanges(output, changes)}\n${text}Nothing was changed.\n`;
}

/** The API takes all values; what is not named keeps its own. Secrets that are left out keep theirs by themselves. */
async function nextValues(
  context: CliContext,
  { connection, team, deployment }: FoundDeployment,
  options: UpdateOptions,
) {
  const { template } = deployment;
  const version = options.version ?? template?.version;
  const parameters: Parameter[] = template
    ? (
        await connection.client.call('getTemplate', {
          params: { name: template.name },
          query: { version, team: team.id },
        })
      ).parameters
    : deployment.secrets.map(({ key }) => ({ name: key, label: key, type: 'secret' as const }));
  const known = new Set(parameters.map(({ name }) => name));
  const kept = Object.entries(deployment.values).filter(([name]) => known.has(name));
  return { ...Object.fromEntries(kept), ...(await readValues(context, parameters, options)) };
}
