import type { Revision, RevisionDetail } from '@berth/core/deployment';
import { InvalidArgumentError } from 'commander';
import type { CliContext } from '../context.ts';
import { describeChanges } from '../describe-changes.ts';
import { findDeployment } from '../find-deployment.ts';
import { age, type Colour, facts, paint, show, table } from '../output.ts';
import { runsRevision, waitFor } from '../wait-for.ts';
import { type CommonOptions, type Register, type WaitOptions, withCommonOptions, withWaitOptions } from './command.ts';

const OUTCOME_COLOURS: Record<Revision['outcome'], Colour> = {
  pending: 'yellow',
  running: 'green',
  failed: 'red',
  replaced: 'grey',
};

export const registerHistory: Register = (program, context) => {
  withCommonOptions(
    program
      .command('history')
      .summary('its revisions: who changed what')
      .description('Lists the revisions of a deployment, newest first.')
      .argument('<name>'),
  ).action((name: string, options: CommonOptions) => history(context, name, options));
  withCommonOptions(
    program
      .command('diff')
      .summary('what a revision changed')
      .description('Shows what a revision changed against the one before it, or against another.')
      .argument('<name>')
      .argument('[revision]', 'the newest when absent', parseRevision)
      .option('--against <revision>', 'another one than the one before', parseRevision),
  ).action((name: string, revision: number | undefined, options: DiffOptions) =>
    diff(context, { name, revision }, options),
  );
  withCommonOptions(
    withWaitOptions(
      program
        .command('rollback')
        .summary('bring back what an earlier revision was')
        .description(
          'Brings back what an earlier revision was, as a new revision. Secrets and what is on volumes stay as they are today.',
        )
        .argument('<name>')
        .argument('<revision>', 'as "berth history" lists it', parseRevision),
    ),
  ).action((name: string, revision: number, options: CommonOptions & WaitOptions) =>
    rollBack(context, { name, revision }, options),
  );
};

interface DiffOptions extends CommonOptions {
  against?: number;
}

async function history(context: CliContext, name: string, options: CommonOptions): Promise<void> {
  const { connection, deployment } = await findDeployment(context, name, options);
  const { items } = await connection.client.call('listRevisions', { params: { id: deployment.id } });
  show(context, options.output, { json: items, text: () => describeRevisions(context, items) });
}

function describeRevisions({ output, now }: CliContext, items: readonly Revision[]): string {
  const rows = items.map((each) => [
    String(each.revision),
    `${age(each.createdAt, now())} ago`,
    paint(output, OUTCOME_COLOURS[each.outcome], each.outcome),
    each.serving ? 'serving' : each.current ? 'wanted' : '',
    each.template?.version ?? '',
    each.by,
    each.message === undefined ? each.summary : `${each.summary} (${each.message})`,
  ]);
  return table(output, ['REVISION', 'MADE', 'OUTCOME', 'NOW', 'VERSION', 'BY', 'WHAT'], rows);
}

async function diff(
  context: CliContext,
  what: { name: string; revision: number | undefined },
  options: DiffOptions,
): Promise<void> {
  const { connection, deployment } = await findDeployment(context, what.name, options);
  const detail = await connection.client.call('getRevision', {
    params: { id: deployment.id, revision: what.revision ?? deployment.revision },
    query: { against: options.against },
  });
  show(context, options.output, { json: detail, text: () => describeDetail(context, detail) });
}

function describeDetail({ output }: CliContext, detail: RevisionDetail): string {
  const head = facts(output, [
    ['Revision', String(detail.revision)],
    ['Against', detail.against === undefined ? 'nothing: it is the first' : String(detail.against)],
    ['What', detail.summary],
    ['By', detail.by],
    ['Outcome', detail.message === undefined ? detail.outcome : `${detail.outcome}: ${detail.message}`],
  ]);
  return `${head}\n${describeChanges(output, detail.changes)}`;
}

async function rollBack(
  context: CliContext,
  { name, revision }: { name: string; revision: number },
  options: CommonOptions & WaitOptions,
): Promise<void> {
  const found = await findDeployment(context, name, options);
  const changed = await found.connection.client.call('rollBackDeployment', {
    params: { id: found.deployment.id },
    body: { revision },
  });
  const goal = {
    what: 'to roll back',
    reached: (now: typeof changed | undefined) => runsRevision(changed, now),
    timeoutMs: options.timeout * 1000,
  };
  const done = options.wait ? ((await waitFor(context, { ...found, deployment: changed }, goal)) ?? changed) : changed;
  show(context, options.output, {
    json: done,
    text: () =>
      `${name} ${options.wait ? 'is back' : 'goes back'} to revision ${revision}, as revision ${done.revision}\n`,
  });
}

function parseRevision(text: string): number {
  const revision = Number(text);
  if (Number.isInteger(revision) && revision >= 1) return revision;
  throw new InvalidArgumentError('It must be the number of a revision.');
}
