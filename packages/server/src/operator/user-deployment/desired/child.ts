import { API_VERSION, LABELS } from '@berth/core/user-deployment';
import { apiVersionOf, type KubeObject, type OwnerReference, type ResourceType } from '@berth/kube/schema/object';
import { sha256 } from '../../sha256.ts';
import { partLabels } from './standard-labels.ts';

/**
 * One object that a UserDeployment wants. Its hash is kept in an annotation: when it changes, fields that are wanted no
 * longer must be released, which only a new apply does.
 */
export interface Child {
  type: ResourceType;
  /** The service it belongs to; undefined for what the whole deployment has once. */
  service: string | undefined;
  object: KubeObject;
}

/** Whose children they are. */
export interface Owner {
  name: string;
  namespace: string;
  uid: string;
  /** The team of the namespace, when it is one of ours. */
  team: string | undefined;
}

export const MANAGED_BY = 'berth';
export const HASH_ANNOTATION = 'berth.dev/desired-hash';

interface ChildParts {
  name: string;
  service?: string;
  annotations?: Record<string, string>;
  /** Everything besides `metadata`. */
  body: Record<string, unknown>;
}

export function makeChild(owner: Owner, type: ResourceType, parts: ChildParts): Child {
  const { name, service, annotations, body } = parts;
  const { namespace } = owner;
  const labels = { ...childLabels(owner, service), ...partLabels(owner.name, service) };
  const metadata = { name, namespace, labels, ownerReferences: [ownerReference(owner)] };
  const plain = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { ...metadata, annotations }, ...body };
  const hash = sha256(JSON.stringify(plain));
  const marked = { ...metadata, annotations: { ...annotations, [HASH_ANNOTATION]: hash } };
  return { type, service, object: { ...plain, metadata: marked } };
}

export function childLabels(owner: Owner, service?: string): Record<string, string> {
  return {
    ...selectorLabels(owner, service),
    ...(owner.team !== undefined && { [LABELS.team]: owner.team }),
    [LABELS.managedBy]: MANAGED_BY,
  };
}

/** What selects pods. It never changes: the selector of a Deployment is immutable. */
export function selectorLabels(owner: Pick<Owner, 'name'>, service?: string): Record<string, string> {
  return { [LABELS.deployment]: owner.name, ...(service !== undefined && { [LABELS.service]: service }) };
}

export function ownerReference(owner: Owner): OwnerReference {
  return {
    apiVersion: API_VERSION,
    kind: 'UserDeployment',
    name: owner.name,
    uid: owner.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Unique within one deployment. */
export function childKey(type: ResourceType, name: string): string {
  return `${type.kind}/${name}`;
}
