import type { FieldError } from '@berth/core/errors';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import type { Pod, SecretFacts, WarningEvent } from '../kinds.ts';
import type { Child, Owner } from './desired/child.ts';
import type { Course } from './effective-spec.ts';
import type { LastGood } from './last-good.ts';

/** Everything that a decision about one UserDeployment rests on: gathered once, then only read. */
export interface Situation {
  userDeployment: UserDeployment;
  owner: Owner;
  /** Why the wanted spec cannot be run; empty when it can. */
  problems: readonly FieldError[];
  /** The spec of the resource, as the schema reads it; undefined when there are problems. */
  wanted: UserDeploymentSpec | undefined;
  /** Of the wanted version. */
  specHash: string | undefined;
  lastGood: LastGood | undefined;
  course: Course;
  /** What the children are built from, which `course` says. */
  spec: UserDeploymentSpec | undefined;
  /** What is to be there, in the order in which it is made. */
  children: readonly Child[];
  /** Keys of what is no child of this spec and stays all the same: another version, or a pod, may still need it. */
  staying: ReadonlySet<string>;
  /** What stands under each name of a child, by `childKey`, whosever it is. */
  present: ReadonlyMap<string, KubeObject>;
  /** What this UserDeployment owns, wanted or not. */
  owned: readonly Owned[];
  /** By name of the service or job. */
  pods: ReadonlyMap<string, readonly Pod[]>;
  /** By name of the Secret. */
  secrets: ReadonlyMap<string, SecretFacts>;
  /** Why each ExternalSecret is not ready, by its name. */
  deliveryProblems: ReadonlyMap<string, string>;
  /** By name of the pod, newest first. */
  warnings: ReadonlyMap<string, readonly WarningEvent[]>;
  /** Why a volume of a service or job is not there yet, by the service's name. */
  volumeProblems: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  now: number;
}

export interface Owned {
  type: ResourceType;
  object: KubeObject;
}
