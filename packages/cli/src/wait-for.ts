import type { Deployment } from '@berth/core/deployment';
import { applyLiveEvent, type LiveEvent, type LiveState } from '@berth/core/live';
import { CONDITIONS } from '@berth/core/user-deployment';
import type { CliContext } from './context.ts';
import { followEventStream } from './event-stream.ts';
import { CliError, EXIT_CODES } from './exit-codes.ts';
import type { FoundDeployment } from './find-deployment.ts';
import { harmless, paintPhase } from './output.ts';

/** How long a deployment may be failing before we believe it: a service that starts before its database fails at first. */
const FAILING_PATIENCE_MS = 30_000;
/** Nothing that passes by itself. */
const FINAL_CONDITIONS: readonly string[] = [CONDITIONS.valid, CONDITIONS.admitted, CONDITIONS.hostsClaimed];

export interface WaitGoal {
  /** What is waited for, as in `to run`. */
  what: string;
  /** The deployment as it must become; undefined is gone. */
  reached(deployment: Deployment | undefined): boolean;
  timeoutMs: number;
}

/** Follows the team's live events and tells each change until the goal is reached. Throws with the reason when it is not. */
export async function waitFor(
  context: CliContext,
  found: FoundDeployment,
  goal: WaitGoal,
): Promise<Deployment | undefined> {
  const { connection, team, deployment } = found;
  const timeout = createTimer(context, goal.timeoutMs);
  const failing = createTimer(context, FAILING_PATIENCE_MS);
  const signal = AbortSignal.any([context.signal, timeout.signal, failing.signal]);
  const stream = { name: 'streamEvents', input: { query: { team: team.id }, signal }, ended: isEnd } as const;
  let state: LiveState = { deployments: [], activity: [] };
  let last = deployment;
  timeout.start();
  try {
    for await (const data of followEventStream(context, connection.client, stream)) {
      state = applyLiveEvent(state, JSON.parse(data) as LiveEvent);
      const now = state.deployments.find(({ id }) => id === deployment.id);
      if (goal.reached(now)) return now;
      if (!now) throw new CliError(EXIT_CODES.failure, `${deployment.name} was deleted meanwhile`);
      tell(context, last, now);
      last = now;
      if (isFinal(now)) throw failure(now);
      if (now.update?.state === 'stopped' && now.revision >= deployment.revision) throw stoppedUpdate(now);
      if (now.phase === 'Failing') failing.start();
      else failing.stop();
    }
  } catch (error) {
    if (failing.signal.aborted) throw failure(last);
    throw timeout.signal.aborted ? tookTooLong(deployment, goal) : error;
  } finally {
    failing.stop();
    timeout.stop();
  }
  throw new CliError(
    EXIT_CODES.failure,
    `the server ended the event stream: look with "berth status ${deployment.name}"`,
  );
}

/** What was asked for is what runs: every service of this revision or a later one is ready. */
export function runsRevision(wanted: Deployment, now: Deployment | undefined): boolean {
  if (now?.phase !== 'Running' || now.revision < wanted.revision) return false;
  return (now.update?.state ?? 'complete') === 'complete';
}

interface Timer {
  /** Aborted when it has run out. */
  signal: AbortSignal;
  /** Does nothing while it runs. */
  start(): void;
  stop(): void;
}

function createTimer(context: CliContext, milliseconds: number): Timer {
  const over = new AbortController();
  let running: AbortController | undefined;
  return {
    signal: over.signal,
    start() {
      if (running) return;
      const current = new AbortController();
      running = current;
      void context.wait(milliseconds, current.signal).then(() => {
        if (!current.signal.aborted) over.abort();
      });
    },
    stop() {
      running?.abort();
      running = undefined;
    },
  };
}

function tookTooLong({ name }: Deployment, goal: WaitGoal): CliError {
  const limit = Math.round(goal.timeoutMs / 1000);
  return new CliError(
    EXIT_CODES.timeout,
    `${name} took longer than ${limit} s ${goal.what}; it goes on by itself: "berth status ${name} --watch"`,
  );
}

function isFinal({ phase, conditions }: Deployment): boolean {
  return (
    phase === 'Failing' && conditions.some(({ type, status }) => status === 'False' && FINAL_CONDITIONS.includes(type))
  );
}

function failure(deployment: Deployment): CliError {
  const services = deployment.services
    .filter(({ state }) => state === 'Failing')
    .map(({ name, message, reason }) => `\n  ${name}: ${message ?? reason ?? 'failing'}`)
    .join('');
  return new CliError(
    EXIT_CODES.failure,
    `${deployment.name} does not run: ${deployment.message ?? 'a service is failing'}${services}\nIts logs: berth logs ${deployment.name}`,
  );
}

/** The update of the wanted revision was stopped: which probe of which service, and what the pod wrote last. */
function stoppedUpdate({ name, revision, update }: Deployment): CliError {
  const serving = update?.servingRevision ? `; revision ${update.servingRevision} keeps serving` : '';
  const lines = (update?.lastLines ?? []).map((line) => `\n  | ${harmless(line)}`).join('');
  return new CliError(
    EXIT_CODES.failure,
    `the update of ${name} to revision ${revision} was stopped${serving}\n  ${update?.message ?? update?.reason ?? ''}${lines}\nBack to what serves: berth rollback ${name} ${update?.servingRevision ?? 'REVISION'}`,
  );
}

function isEnd(data: string): boolean {
  const event = JSON.parse(data) as LiveEvent;
  return event.type === 'end' && event.reason !== 'shutting_down';
}

/** One line a change, of the phase or of a service. */
function tell({ output }: CliContext, before: Deployment | undefined, now: Deployment): void {
  for (const service of now.services) {
    const old = before?.services.find(({ name }) => name === service.name);
    const stuck = service.state === 'Failing' || service.state === 'Waiting';
    const same = old?.state === service.state && old.ready === service.ready;
    if (same && !(stuck && old.message !== service.message)) continue;
    const why = service.message ? `: ${service.message}` : '';
    output.note(
      `  ${service.name}  ${service.state}  ${Math.min(service.ready, service.desired)}/${service.desired}${why}\n`,
    );
  }
  if (before?.phase !== now.phase) output.note(`${now.name} is ${paintPhase(output, now.phase)}\n`);
}
