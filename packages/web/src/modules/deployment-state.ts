import type { Deployment } from '@berth/core/deployment';
import type { ServiceStatus } from '@berth/core/user-deployment';
import type { Tone } from '../components/tone.ts';

/** A state in words, with its tone, and whether it will change by itself. */
export interface StateWords {
  tone: Tone;
  words: string;
  moving: boolean;
}

/** `pending` is what was asked for and not answered yet, in words. */
export function stateOf(deployment: Deployment, pending?: string): StateWords {
  if (pending) return { tone: 'info', words: pending, moving: true };
  const { phase, desired } = deployment;
  if (desired === 'deleted' || phase === 'Deleting') return { tone: 'neutral', words: 'Deleting', moving: true };
  if (phase === 'Failing') return { tone: 'bad', words: 'Failing', moving: false };
  if (desired === 'stopped') {
    const stopped = phase === 'Stopped';
    return { tone: 'sleep', words: stopped ? 'Stopped' : 'Stopping', moving: !stopped };
  }
  switch (phase) {
    case 'Running':
      if (isUpdateStopped(deployment)) return { tone: 'warn', words: 'Running · update stopped', moving: false };
      if (deployment.services.every((service) => service.desired === 0)) {
        return { tone: 'sleep', words: 'Scaled to zero', moving: false };
      }
      return { tone: 'ok', words: deployment.paused ? 'Running · paused' : 'Running', moving: false };
    case 'Pending':
      return { tone: 'info', words: 'Pending', moving: true };
    case 'Updating':
      return { tone: 'info', words: withProgress('Updating', deployment), moving: true };
    case 'Starting':
    case 'Stopped':
      return { tone: 'info', words: withProgress('Starting', deployment), moving: true };
  }
}

/** The last good version serves; the wanted one could not become ready. */
export function isUpdateStopped(deployment: Deployment): boolean {
  const { update, desired, phase } = deployment;
  return update?.state === 'stopped' && desired === 'running' && phase !== 'Updating';
}

/** What people filter by: the words without the progress. */
export const STATE_FILTERS = ['Running', 'Failing', 'Update stopped', 'Changing', 'Stopped'] as const;
export type StateFilter = (typeof STATE_FILTERS)[number];

export function stateFilterOf(deployment: Deployment): StateFilter {
  const { words, moving } = stateOf(deployment);
  if (moving) return 'Changing';
  if (words === 'Failing' || words === 'Stopped') return words;
  if (words === 'Scaled to zero') return 'Stopped';
  return isUpdateStopped(deployment) ? 'Update stopped' : 'Running';
}

export function servicesReady(deployment: Deployment): { ready: number; all: number } {
  return {
    ready: deployment.services.filter((each) => each.desired > 0 && each.ready >= each.desired).length,
    all: deployment.services.length,
  };
}

function withProgress(words: string, deployment: Deployment): string {
  const { ready, all } = servicesReady(deployment);
  return all > 1 && ready < all ? `${words} ${ready} of ${all}` : words;
}

const SERVICE_TONES: Record<ServiceStatus['state'], Tone> = {
  Waiting: 'info',
  Starting: 'info',
  Running: 'ok',
  Failing: 'bad',
  Stopped: 'sleep',
};
/** The reasons that Kubernetes and the operator give, in words. */
const REASON_WORDS: Record<string, string> = {
  CrashLoopBackOff: 'Keeps crashing',
  Error: 'Crashed',
  OOMKilled: 'Out of memory',
  ImagePullBackOff: 'Image cannot be pulled',
  ErrImagePull: 'Image cannot be pulled',
  ErrImageNeverPull: 'Image is not here',
  InvalidImageName: 'Image name is wrong',
  CreateContainerConfigError: 'Settings are missing',
  CreateContainerError: 'Container cannot be made',
  RunContainerError: 'Container cannot start',
  Unhealthy: 'Probe failing',
  ProbeFailed: 'Probe failing',
  ProbeFailing: 'Probe failing',
  Unschedulable: 'No room in the cluster',
  QuotaExceeded: 'Over the plan',
  WaitingForDependencies: 'Waiting for others',
  WaitingForSecrets: 'Waiting for secrets',
};

/** What starts is asked before it listens: that its probe fails then is no news. It is once the operator calls it failing. */
function isUsual({ state, reason }: ServiceStatus): boolean {
  return state === 'Running' || (state === 'Starting' && reason === 'ProbeFailing');
}

export function serviceStateOf(service: ServiceStatus): StateWords {
  const moving = service.state === 'Waiting' || service.state === 'Starting';
  const words = (service.reason && !isUsual(service) && REASON_WORDS[service.reason]) || service.state;
  return { tone: SERVICE_TONES[service.state], words, moving };
}
