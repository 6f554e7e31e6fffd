import type { KubeObject } from '../../../schema/object.ts';
import type { Store, StoreAddress, StoreView } from '../../store/store.ts';
import type { Admission } from '../admission/admission.ts';
import type { TokenReader } from '../auth/authenticate.ts';
import type { FieldValidation } from '../decode.ts';
import type { Kind, RuleContext, UserInfo } from '../kind.ts';
import type { Registry } from '../registry.ts';

/** What the rules work on. They know nothing of HTTP and nothing of the store's backend. */
export interface Rules {
  store: Store;
  registry: Registry;
  admission: Admission;
  clock: { now(): number };
  newId: () => string;
  readToken: TokenReader;
  serviceNetwork: string;
}

/** A request to one kind, as far as rules are concerned. */
export interface RuleRequest {
  kind: Kind;
  /** '' for cluster scope, or for all namespaces in a list. */
  namespace: string;
  user: UserInfo;
  warn: (text: string) => void;
}

export interface WriteOptions {
  dryRun: boolean;
  fieldManager: string;
  fieldValidation: FieldValidation;
  force?: boolean;
  /** The subresource that owns the change, where it is not the one that is written. */
  trackedAs?: string;
}

export function addressOf(kind: Kind, namespace: string, name: string): StoreAddress {
  return { resource: kind.storage, namespace: kind.namespaced ? namespace : '', name };
}

export function contextOf(rules: Rules, request: RuleRequest, view: StoreView): RuleContext {
  return {
    now: rules.clock.now(),
    newId: rules.newId,
    readToken: rules.readToken,
    view,
    user: request.user,
    serviceNetwork: rules.serviceNetwork,
    warn: request.warn,
  };
}

/** Kubernetes time: RFC 3339 in whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** As stored: kinds with several versions are kept in one of them. */
export function toStored(kind: Kind, object: KubeObject): KubeObject {
  return kind.version === kind.storedVersion ? object : { ...object, apiVersion: apiVersion(kind, kind.storedVersion) };
}

export function fromStored(kind: Kind, object: KubeObject): KubeObject {
  const wanted = apiVersion(kind, kind.version);
  return object.apiVersion === wanted ? object : { ...object, apiVersion: wanted };
}

function apiVersion({ group }: Kind, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}
