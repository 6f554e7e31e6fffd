import { findCondition } from '@berth/core/conditions';
import type { Deployment } from '@berth/core/deployment';
import { CONDITIONS } from '@berth/core/user-deployment';
import type { CliContext } from '../context.ts';
import { findDeployment } from '../find-deployment.ts';
import { paintPhase, show } from '../output.ts';
import { runsRevision, waitFor } from '../wait-for.ts';
import { type CommonOptions, type Register, type WaitOptions, withCommonOptions, withWaitOptions } from './command.ts';

interface LifecycleOptions extends CommonOptions, WaitOptions {
  service?: string;
}

interface Verb {
  name: 'stop' | 'start' | 'restart' | 'pause' | 'resume';
  route: 'stopDeployment' | 'startDeployment' | 'restartDeployment' | 'pauseDeployment' | 'resumeDeployment';
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
    summary: 'replace every pod, or those of one service',
    done: 'restarts',
    reached: runsAnew,
  },
  {
    name: 'pause',
    route: 'pauseDeployment',
    summary: 'keep what runs as it is; changes wait',
    done: 'is paused: changes wait until it is resumed',
    reached: (_before, now) => now?.paused === true && now.update?.state === 'paused',
  },
  {
    name: 'resume',
    route: 'resumeDeployment',
    summary: 'roll out the changes that waited',
    done: 'is resumed',
    reached: runsRevision,
  },
];

export const registerLifecycle: Register = (program, context) => {
  for (const verb of VERBS) {
    const command = program
      .command(verb.name)
      .summary(verb.summary)
      .description(`${verb.summary[0]?.toUpperCase()}${verb.summary.slice(1)}.`)
      .argument('<name>');
    if (verb.name === 'restart') command.option('--service <service>', 'only this one');
    withCommonOptions(withWaitOptions(command)).action((name: string, options: LifecycleOptions) =>
      run(context, verb, { name, options }),
    );
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
  const { client } = found.connection;
  const { id } = found.deployment;
  const changed =
    options.service === undefined
      ? await client.call(verb.route, { params: { id } })
      : await client.call('restartDeployment', { params: { id }, body: { service: options.service } });
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
