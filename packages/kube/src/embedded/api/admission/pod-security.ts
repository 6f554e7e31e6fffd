/**
 * Pod Security admission: a namespace's labels say which level its pods must fit (enforce), which violations are told to the
 * caller (warn) and which to the log (audit). Pods are refused; what makes pods is only warned of, as its pods will be refused.
 */
import type { Logger } from '../../../client/logger.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import { forbidden, invalid } from '../errors.ts';
import type { Kind, RuleContext } from '../kind.ts';
import { at } from '../kinds/define.ts';
import { list } from '../kinds/pod-defaults.ts';
import type { AdmissionPlugin } from './admission.ts';
import type { CheckedPod } from './pod-security/pod-fields.ts';
import {
  isStricter,
  type Policy,
  type PolicyLevel,
  policyText,
  readPolicy,
  samePolicyLevel,
  violationsOf,
  violationsText,
} from './pod-security/policy.ts';

interface Evaluation {
  kind: Kind;
  object: KubeObject;
  pod: CheckedPod;
  policy: Policy;
}

export function podSecurity(logger: Logger | undefined): AdmissionPlugin {
  return {
    name: 'PodSecurity',
    validate(kind, object, old, context) {
      if (kind.custom) return;
      if (kind.kind === 'Namespace') return validateNamespace(kind, object, { old, context });
      const pod = podOf(kind, object);
      if (!pod) return;
      if (kind.kind === 'Pod' && old && !changesContainers(object, old)) return;
      const address = { resource: 'namespaces', namespace: '', name: object.metadata.namespace ?? '' };
      const { policy } = readPolicy(context.view.get(address)?.object.metadata.labels);
      const evaluation = { kind, object, pod, policy };
      if (kind.kind === 'Pod') enforce(evaluation);
      audit(evaluation, logger);
      warn(evaluation, context);
    },
  };
}

/** A pod, or the template of what makes pods. */
function podOf({ kind }: Kind, object: KubeObject): CheckedPod | undefined {
  if (kind === 'Pod') return object as KubeObject & CheckedPod;
  if (kind === 'Deployment' || kind === 'ReplicaSet') return at(object, 'spec', 'template') as CheckedPod | undefined;
  return undefined;
}

/** Of what an update of a pod may change, images alone could matter. */
function changesContainers(object: KubeObject, old: KubeObject): boolean {
  const images = (pod: KubeObject) =>
    ['containers', 'initContainers'].map((field) => list(at(pod, 'spec', field)).map(({ image }) => image));
  return !deepEqual(images(object), images(old));
}

function enforce({ kind, object, pod, policy }: Evaluation): void {
  const violations = violationsOf(pod, policy.enforce);
  if (violations.length === 0) return;
  const why = `violates PodSecurity "${policyText(policy.enforce)}": ${violationsText(violations)}`;
  throw forbidden(kind, object.metadata.name, why);
}

function audit({ kind, object, pod, policy }: Evaluation, logger: Logger | undefined): void {
  const violations = violationsOf(pod, policy.audit);
  if (violations.length === 0) return;
  const { namespace, name } = object.metadata;
  const fields = {
    kind: kind.kind,
    namespace,
    name,
    level: policyText(policy.audit),
    violations: violationsText(violations),
  };
  logger?.info(fields, 'pod security would be violated');
}

function warn({ pod, policy }: Evaluation, context: RuleContext): void {
  const violations = violationsOf(pod, policy.warn);
  if (violations.length === 0) return;
  context.warn(`would violate PodSecurity "${policyText(policy.warn)}": ${violationsText(violations)}`);
}

/** Labels must be readable; those who tighten what is enforced hear which pods would be refused now. */
function validateNamespace(
  kind: Kind,
  object: KubeObject,
  { old, context }: { old: KubeObject | undefined; context: RuleContext },
): void {
  const { policy, errors } = readPolicy(object.metadata.labels);
  const before = old && readPolicy(old.metadata.labels);
  if (errors.length > 0 && !deepEqual(errors, before?.errors)) throw invalid(kind, object.metadata.name, errors);
  if (!before || samePolicyLevel(policy.enforce, before.policy.enforce)) return;
  const sameVersion = policy.enforce.version === before.policy.enforce.version;
  if (sameVersion && !isStricter(policy.enforce, before.policy.enforce)) return;
  for (const text of existingViolations(object.metadata.name, policy.enforce, context)) context.warn(text);
}

/** One line for all pods that have the same faults, named after the first of them. */
function existingViolations(namespace: string, level: PolicyLevel, { view }: RuleContext): string[] {
  const podsByFault = new Map<string, string[]>();
  for (const { object } of view.list('pods', namespace)) {
    const reasons = violationsOf(object as KubeObject & CheckedPod, level).map(({ reason }) => reason);
    if (reasons.length === 0) continue;
    const fault = reasons.join(', ');
    podsByFault.set(fault, [...(podsByFault.get(fault) ?? []), object.metadata.name]);
  }
  if (podsByFault.size === 0) return [];
  const lines = [...podsByFault].map(([fault, pods]) => `${pods.sort()[0]}${others(pods.length - 1)}: ${fault}`);
  const head = `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${policyText(level)}"`;
  return [head, ...lines.sort()];
}

function others(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' (and 1 other pod)' : ` (and ${count} other pods)`;
}
