import type { Probe, Service } from '@berth/core/service';
import type { ContainerState, ContainerStatus, Pod, WarningEvent } from '../kinds.ts';

/** What went wrong with a pod of a new version, in sentences for people who know their service but not Kubernetes. */
type ProbeKind = 'startup' | 'readiness' | 'liveness';
type Named = Pick<Service, 'name' | 'probes'>;

/** "The readiness probe of web (GET /readyz on http) answered 500 for 40 s." */
export function notReadySentence(service: Named, warnings: readonly WarningEvent[], seconds: number): string {
  const failure = lastProbeFailure(warnings);
  const kind = failure?.kind ?? expectedProbe(service);
  if (!kind) return `${service.name} was not ready ${seconds} s after its pod started.`;
  const probe = probeName(service, kind);
  if (!failure) return `${probe} did not succeed within ${seconds} s.`;
  return `${probe} ${howItFailed(failure.message)} for ${seconds} s.`;
}

/** "web ended 3 times, the last time with exit code 1." */
export function crashSentence(service: Named, container: ContainerStatus, warnings: readonly WarningEvent[]): string {
  const times = crashesOf(container);
  const ended = container.state?.terminated ?? container.lastState?.terminated;
  if (ended?.reason === 'OOMKilled') {
    return `${service.name} was ended ${times} times because it needs more memory than its limit.`;
  }
  const killer = warnings.map(probeFailure).find((failure) => failure !== undefined && failure.kind !== 'readiness');
  if (killer && mayBeKilled(ended)) {
    const probe = probeName(service, killer.kind);
    return `${service.name} was ended ${times} times: ${lowerFirst(probe)} ${howItFailed(killer.message)}.`;
  }
  return `${service.name} ended ${times} times, the last time ${howItEnded(ended)}.`;
}

/** Whom a probe ends gets SIGTERM, then SIGKILL. Any other code is the program's own word, however its probe went before. */
function mayBeKilled(ended: ContainerState['terminated']): boolean {
  return (ended?.signal ?? 0) > 0 || ENDED_BY_PROBE.has(ended?.exitCode ?? 0);
}

const ENDED_BY_PROBE = new Set([0, 128 + 15, 128 + 9]);

/** How often the program of a container has ended; while it waits to be started again that is once more than it was restarted. */
export function crashesOf(container: ContainerStatus): number {
  const { waiting, terminated } = container.state ?? {};
  const isDown = terminated !== undefined || waiting?.reason === 'CrashLoopBackOff';
  return (container.restartCount ?? 0) + (isDown ? 1 : 0);
}

export function howItEnded(ended: ContainerState['terminated']): string {
  if (ended?.signal !== undefined && ended.signal > 0) return `by signal ${ended.signal}`;
  return ended?.exitCode === undefined ? 'for a reason that is not known' : `with exit code ${ended.exitCode}`;
}

/** What is missing when no probe has spoken yet: without a readiness probe a pod waits only for its start. */
function expectedProbe({ probes }: Named): ProbeKind | undefined {
  if (probes?.readiness) return 'readiness';
  return probes?.startup && 'startup';
}

function probeName({ name, probes }: Named, kind: ProbeKind): string {
  const probe = probes?.[kind];
  return `The ${kind} probe of ${name}${probe ? ` (${actionOf(probe)})` : ''}`;
}

function actionOf({ http, tcp, exec, grpc }: Probe): string {
  if (http) return `GET ${http.path} on ${http.port}`;
  if (tcp) return `a connection to ${tcp.port}`;
  if (grpc) return `the gRPC health check${grpc.service ? ` of ${grpc.service}` : ''} on ${grpc.port}`;
  return `the command ${exec?.command[0] ?? ''}`;
}

const PROBE_FAILED = /^(Startup|Readiness|Liveness) probe (?:failed|errored)(?: and resulted in \w+)?: ?(.*)$/s;

function lastProbeFailure(warnings: readonly WarningEvent[]) {
  const failures = warnings.map(probeFailure).filter((failure) => failure !== undefined);
  // A liveness probe that fails restarts the program; what keeps a pod from being ready is one of the other two.
  return failures.find(({ kind }) => kind !== 'liveness') ?? failures[0];
}

function probeFailure({ reason, message = '' }: WarningEvent): { kind: ProbeKind; message: string } | undefined {
  if (reason !== 'Unhealthy') return undefined;
  const [, kind, rest = ''] = PROBE_FAILED.exec(message) ?? [];
  return kind === undefined ? undefined : { kind: kind.toLowerCase() as ProbeKind, message: rest.trim() };
}

/** The words of kubelets, in ours. */
const FAILURES: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [/statuscode: (\d+)/, ([, code]) => `answered ${code}`],
  [/connection refused|ECONNREFUSED/, () => 'found nobody listening'],
  [/NOT_SERVING/, () => 'answered that it does not serve'],
  [/deadline exceeded|no answer within|tim(?:ed |e)?out/i, () => 'got no answer in time'],
];

function howItFailed(message: string): string {
  for (const [pattern, words] of FAILURES) {
    const match = pattern.exec(message);
    if (match) return words(match);
  }
  const first = message.split('\n')[0]?.replace(/\.+$/, '') ?? '';
  return first === '' ? 'failed' : `failed (${first.slice(0, 300)})`;
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

export function containersOf(pod: Pod): ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}
