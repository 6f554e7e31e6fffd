import { isPodReady, type Pod } from '../../../schema/kinds/pod.ts';

/** Orders pods so that the first are the ones to delete: those that serve least, and of equals the youngest. */
export function deletionOrder(pods: Pod[]): Pod[] {
  return [...pods].sort((a, b) => compare(rank(a), rank(b)) || ageOf(b) - ageOf(a));
}

function rank(pod: Pod): number[] {
  const phases = ['Pending', 'Unknown', 'Running'];
  return [
    pod.spec.nodeName ? 1 : 0,
    phases.indexOf(pod.status?.phase ?? 'Pending'),
    isPodReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0),
  ];
}

function compare(a: number[], b: number[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    if (value !== other) return value - other;
  }
  return 0;
}

function ageOf(pod: Pod): number {
  return Date.parse(pod.metadata.creationTimestamp ?? '') || 0;
}
