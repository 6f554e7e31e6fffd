import { type Condition, findCondition } from '@berth/core/conditions';
import type { Deployment, Usage } from '@berth/core/deployment';
import { CONDITIONS } from '@berth/core/user-deployment';
import { isUpdateStopped, serviceStateOf } from './deployment-state.ts';
import { paths } from './paths.ts';
import { servingRevision } from './update-words.ts';
import { planName, usageLines } from './usage.ts';

/**
 * What is wrong or near a limit, each as one sentence with its cause and one thing to do. The checks of a deployment are
 * a list: the first that fits speaks, so nothing is said twice. Worst first.
 */
export interface Need {
  key: string;
  tone: 'bad' | 'warn' | 'info';
  /** The deployment it is about; the sentence goes on after it. */
  subject?: string;
  sentence: string;
  cause?: string;
  /** An update has a banner of its own on the deployment's page. */
  about?: 'update';
  action: { label: string; to: string };
}

const SLOW_START_MINUTES = 10;
const SLOW_DELETE_MINUTES = 5;
const NEAR_LIMIT = 0.9;

export function needsYou(input: {
  teamId: string;
  deployments: readonly Deployment[];
  usage: Usage | undefined;
  now: number;
}): Need[] {
  const ofDeployments = input.deployments.flatMap((each) => needOfDeployment(each, input.now) ?? []);
  const all = [...ofDeployments, ...(input.usage ? needsOfUsage(input.usage, input.teamId) : [])];
  const order: Need['tone'][] = ['bad', 'warn', 'info'];
  return all.sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone));
}

/** Also what the banner of the deployment's own page says. */
export function needOfDeployment(deployment: Deployment, now: number): Need | undefined {
  // What goes away needs nothing but to go.
  for (const check of isDeleting(deployment) ? [stuckDeleting] : CHECKS) {
    const need = check(deployment, now);
    if (need) return { key: deployment.id, subject: deployment.displayName ?? deployment.name, ...need };
  }
  return undefined;
}

type Check = (deployment: Deployment, now: number) => Omit<Need, 'key' | 'subject'> | undefined;

const CHECKS: readonly Check[] = [invalid, overPlan, withoutHost, withoutSecrets, stoppedUpdate, failing, slow];

function stuckDeleting(deployment: Deployment, now: number): ReturnType<Check> {
  if (minutesSince(deployment.updatedAt, now) < SLOW_DELETE_MINUTES) return undefined;
  return {
    tone: 'warn',
    sentence: `has been deleting for ${durationWords(minutesSince(deployment.updatedAt, now))}`,
    cause: deployment.message ?? 'Something in the cluster does not let go.',
    action: { label: 'See what blocks', to: paths.deployment(deployment.teamId, deployment.name) },
  };
}

function invalid(deployment: Deployment): ReturnType<Check> {
  const condition = falseCondition(deployment, CONDITIONS.valid);
  return (
    condition && {
      tone: 'bad',
      sentence: 'cannot run as it is described',
      cause: condition.message,
      action: { label: 'Edit', to: paths.deployment(deployment.teamId, deployment.name, 'settings') },
    }
  );
}

function overPlan(deployment: Deployment): ReturnType<Check> {
  const condition = falseCondition(deployment, CONDITIONS.admitted);
  return (
    condition && {
      tone: 'bad',
      sentence: 'waits for room in the plan',
      cause: condition.message,
      action: { label: 'See plan', to: paths.usage(deployment.teamId) },
    }
  );
}

function withoutHost(deployment: Deployment): ReturnType<Check> {
  const condition = falseCondition(deployment, CONDITIONS.hostsClaimed);
  return (
    condition && {
      tone: 'bad',
      sentence: 'has no address',
      cause: condition.message,
      action: { label: 'Change the address', to: paths.deployment(deployment.teamId, deployment.name, 'settings') },
    }
  );
}

function withoutSecrets(deployment: Deployment): ReturnType<Check> {
  const unset = deployment.secrets.filter((secret) => !secret.set).map((secret) => secret.key);
  if (deployment.phase === 'Running' || deployment.desired !== 'running' || unset.length === 0) return undefined;
  return {
    tone: 'bad',
    sentence: `waits for ${unset.length === 1 ? 'a secret' : `${unset.length} secrets`}`,
    cause: `${unset.join(', ')} ${unset.length === 1 ? 'has' : 'have'} no value yet.`,
    action: { label: 'Set it', to: paths.deployment(deployment.teamId, deployment.name, 'secrets') },
  };
}

function stoppedUpdate(deployment: Deployment): ReturnType<Check> {
  if (!isUpdateStopped(deployment)) return undefined;
  const { teamId, name, revision, update } = deployment;
  const serving = servingRevision(deployment);
  const keeps = serving === undefined ? 'The version before keeps serving.' : `Revision ${serving} keeps serving.`;
  const lastLine = update?.lastLines?.at(-1);
  return {
    tone: 'bad',
    about: 'update',
    sentence: `stopped its update to revision ${revision}`,
    cause: [update?.message, keeps, lastLine && `Last line: ${lastLine}`].filter(Boolean).join(' '),
    action: { label: 'See what failed', to: paths.deployment(teamId, name) },
  };
}

function failing(deployment: Deployment): ReturnType<Check> {
  const service = deployment.services.find((each) => each.state === 'Failing');
  if (!service && deployment.phase !== 'Failing') return undefined;
  const { teamId, name } = deployment;
  if (!service) {
    return {
      tone: 'bad',
      sentence: 'is failing',
      cause: deployment.message ?? findCondition(deployment.conditions, CONDITIONS.ready)?.message,
      action: { label: 'See what happened', to: paths.deployment(teamId, name) },
    };
  }
  const { words } = serviceStateOf(service);
  const alone = deployment.services.length === 1;
  const who = alone ? '' : service.name;
  const what = words === 'Failing' ? who : `${who} ${lowerFirst(words)}`.trim();
  const serving = deployment.services.filter((each) => each !== service && each.state === 'Running');
  return {
    tone: 'bad',
    sentence: what === '' ? 'is failing' : `is failing: ${what}`,
    cause: [
      service.message ?? deployment.message,
      serving.length > 0 ? `Still running: ${serving.map((each) => each.name).join(', ')}.` : undefined,
    ]
      .filter(Boolean)
      .join(' '),
    action: { label: 'Open logs', to: paths.logs(teamId, name, service.name) },
  };
}

function slow(deployment: Deployment, now: number): ReturnType<Check> {
  if (!['Pending', 'Starting', 'Updating'].includes(deployment.phase)) return undefined;
  // Not ready since it was stopped last week is no news: the clock starts at the last change.
  const ready = findCondition(deployment.conditions, CONDITIONS.ready)?.lastTransitionTime;
  const minutes = Math.min(
    ...[ready, deployment.updatedAt].map((time) => minutesSince(time ?? deployment.createdAt, now)),
  );
  if (minutes < SLOW_START_MINUTES) return undefined;
  const waiting = deployment.services.filter((each) => each.state !== 'Running').map((each) => each.name);
  return {
    tone: 'warn',
    sentence: `has not been ready for ${durationWords(minutes)}`,
    cause: deployment.message ?? (waiting.length > 0 ? `Waiting for ${waiting.join(', ')}.` : undefined),
    action: { label: 'See what happens', to: paths.deployment(deployment.teamId, deployment.name) },
  };
}

function needsOfUsage(usage: Usage, teamId: string): Need[] {
  const action = { label: 'See plan', to: paths.usage(teamId) };
  const plan = `Plan ${planName(usage.plan)}.`;
  return usageLines(usage).flatMap((line): Need[] => {
    if (line.allowed === undefined || line.allowed === 0) return [];
    const what = line.key === 'deployments' ? 'deployments' : line.label.toLowerCase().replace('cpu', 'CPU');
    const sentence =
      line.key === 'deployments'
        ? `${line.used} of ${line.allowed} deployments used`
        : `${line.usedWords} ${line.ofWords} ${what} used`;
    if (line.used >= line.allowed) {
      const cause = `${plan} Nothing more fits; delete something, or ask an owner of the organization for more.`;
      return [{ key: line.key, tone: 'warn', sentence, cause, action }];
    }
    const oneLeft = line.key === 'deployments' && line.used === line.allowed - 1 && line.allowed > 3;
    if (oneLeft || (line.key !== 'deployments' && line.used / line.allowed >= NEAR_LIMIT)) {
      const left = oneLeft ? 'One more can be made' : 'Little is left';
      return [
        { key: line.key, tone: 'info', sentence, cause: `${plan} ${left}; an owner can raise the limit.`, action },
      ];
    }
    return [];
  });
}

function falseCondition(deployment: Deployment, type: string): Condition | undefined {
  const condition = findCondition(deployment.conditions, type);
  return condition?.status === 'False' ? condition : undefined;
}

function isDeleting(deployment: Deployment): boolean {
  return deployment.desired === 'deleted' || deployment.phase === 'Deleting';
}

function minutesSince(time: string, now: number): number {
  return Math.floor((now - Date.parse(time)) / 60_000);
}

function durationWords(minutes: number): string {
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} hours` : `${Math.floor(minutes / 1440)} days`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
