import { findCondition } from '@berth/core/conditions';
import type { Deployment } from '@berth/core/deployment';
import { CONDITIONS } from '@berth/core/user-deployment';
import type { CliContext } from '../context.ts';
import { findDeployment } from '../find-deployment.ts';
import { paintPhase, show } from '../output.ts';
import { parseSeconds } from '../seconds.ts';
import { waitFor } from '../wait-for.ts';
import { type CommonOptions, type Register, withCommonOptions } from './command.ts';

interface LifecycleOptions extends CommonOptions {
  wait?: boolean;
  timeout: number;
}

interface Verb {
  name: 'stop' | 'start' | 'restart';
  route: 'stopDeployment' | 'startDeployment' | 'restartDeployment';
  summary: string;
  done: string;
  reached(before: Deployment, now: Deployment | undefined): boolean;
}

const VERBS: readonly Verb[] = [
  {
    name: 'stop',
    route: 'stopDeployment',
    summary: 'stop it; volumes, secrets and address stay',
    done: 'stops',
    reached: (_before, now) => now?.phase === 'Stopped',
  },
  {
    name: 'start',
    route: 'startDeployment',
    summary: 'start what was stopped',
    done: 'starts',
    reached: (_before, now) => now?.phase === 'Running',
  },
  {
    name: 'restart',
    route: 'restartDeployment',
    summary: 'replace every pod',
    done: 'restarts',
    reached: runsAnew,
  },
];

export const registerLifecycle: Register = (program, context) => {
  for (const verb of VERBS) {
    withCommonOptions(
      program
        .command(verb.name)
        .summary(verb.summary)
        .description(`${verb.summary[0]?.toUpperCase()}${verb.summary.slice(1)}.`)
        .argument('<name>')
        .option('--wait', 'wait until it is done')
        .option('--timeout <seconds>', 'how long to wait', parseSeconds, 300),
    ).action((name: string, options: LifecycleOptions) => run(context, verb, { name, options }));
  }
};

/** Right after the request the old pods still run and all looks well: it counts only once readiness has been lost and found. */
function runsAnew(before: Deployment, now: Deployment | undefined): boolean {
  if (now?.phase !== 'Running') return false;
  const ready = findCondition(now.conditions, CONDITIONS.ready);
  return ready !== undefined && ready.lastTransitionTime > before.updatedAt;
}

async function run(context: CliContext, verb: Verb, asked: { name: string; options: LifecycleOptions }): Promise<void> {
  const { name, options } = asked;
  const found = await findDeployment(context, name, options);
  const changed = await found.connection.client.call(verb.route, { params: { id: found.deployment.id } });
  const goal = {
    what: `to ${verb.name}`,
    reached: (now: Deployment | undefined) => verb.reached(changed, now),
    timeoutMs: options.timeout * 1000,
  };
  const done = options.wait ? await waitFor(context, { ...found, deployment: changed }, goal) : changed;
  show(context, options.output, {
    json: done,
    text: () =>
      options.wait && done ? `${name} is ${paintPhase(context.output, done.phase)}\n` : `${name} ${verb.done}\n`,
  });
}
