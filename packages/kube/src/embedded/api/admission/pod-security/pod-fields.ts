import { at } from '../../kinds/define.ts';
import { list } from '../../kinds/pod-defaults.ts';

/** How a check sees a pod or a pod template. */
export interface CheckedPod {
  metadata?: { annotations?: Record<string, string> };
  spec: Fields;
}

export type Fields = Record<string, unknown>;

/** What a check finds wrong, in the words of the real server: `reason (detail)`. */
export interface Violation {
  reason: string;
  detail: string;
}

export interface PodSecurityCheck {
  name: string;
  /** The minor version of Kubernetes that brought it, for namespaces that pin an older one. */
  since?: number;
  /** A baseline check that this one, of the restricted level, says better. */
  overrides?: string;
  check(pod: CheckedPod, minor: number): Violation | undefined;
}

export function containersOf(pod: CheckedPod): Fields[] {
  const { initContainers, containers, ephemeralContainers } = pod.spec;
  return [...list(initContainers), ...list(containers), ...list(ephemeralContainers)];
}

/** Names of the containers of which something holds. */
export function containersWhere(pod: CheckedPod, holds: (container: Fields) => boolean): string[] {
  return containersOf(pod)
    .filter(holds)
    .map(({ name }) => String(name));
}

/** The security contexts that are set: the pod's, then those of its containers. */
export function contextsOf(pod: CheckedPod): Fields[] {
  return [pod.spec, ...containersOf(pod)].flatMap(({ securityContext }) =>
    securityContext ? [securityContext as Fields] : [],
  );
}

/** `pod and containers "a", "b"`: those whose security context is bad. */
export function settersWhere(pod: CheckedPod, isBad: (context: Fields) => boolean): string | undefined {
  const bad = ({ securityContext }: Fields) => securityContext !== undefined && isBad(securityContext as Fields);
  const containers = containersWhere(pod, bad);
  const setters = [
    ...(bad(pod.spec) ? ['pod'] : []),
    ...(containers.length > 0 ? [named('container', containers)] : []),
  ];
  return setters.length > 0 ? setters.join(' and ') : undefined;
}

/** Pods for Windows have none of what these fields are about. */
export function isForWindows(pod: CheckedPod, minor: number): boolean {
  return minor >= 25 && at(pod.spec, 'os', 'name') === 'windows';
}

/** `container "a"`, `containers "a", "b"`. */
export function named(word: string, names: string[]): string {
  return `${plural(word, names)} ${quoted(names)}`;
}

export function plural(word: string, { length }: unknown[]): string {
  return length === 1 ? word : `${word}s`;
}

export function quoted(names: string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** Every value once, in order. */
export function distinct(values: string[]): string[] {
  return [...new Set(values)].sort();
}
