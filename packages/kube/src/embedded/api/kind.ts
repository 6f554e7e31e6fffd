import type { KubeObject, ResourceType } from '../../schema/object.ts';
import type { StoreView } from '../store/store.ts';
import type { FieldError } from './errors.ts';
import type { UsageSample } from './node-agent.ts';
import type { Schema } from './schema.ts';

/**
 * Everything the server knows about one kind in one version. The rules (create, update, delete, ...) are the same for all;
 * what differs is here.
 */
export interface Kind extends ResourceType {
  singular: string;
  shortNames?: string[];
  categories?: string[];
  /** Where the objects of all versions of the kind live: `deployments.apps`. */
  storage: string;
  /** The version that objects are stored in; another is answered by rewriting `apiVersion`. */
  storedVersion: string;
  schema: Schema;
  /** Absent: all. */
  verbs?: readonly Verb[];
  status?: boolean;
  scale?: ScalePaths;
  /** Subresources that are neither status nor scale, with their verbs and kind: for discovery. */
  others?: { name: string; kind: string; group?: string; version?: string; verbs: string[] }[];
  /** Whether a change outside status and metadata counts `metadata.generation` up. */
  generation?: boolean;
  /** A replace must say which version it replaces. */
  versionRequired?: boolean;
  /** A delete that is final answers with the object rather than with a Status. */
  returnsDeleted?: boolean;
  /** What becomes of dependents when a delete does not say; default: they go too. */
  orphansByDefault?: boolean;
  /** What every object of the kind has even when nothing is said: nobody comes to own that by creating one. */
  zero?: Record<string, unknown>;
  columns: Column[];
  /** What `fieldSelector` may ask for beyond name and namespace. */
  selectable?: (object: KubeObject) => Record<string, string>;
  strategy: Strategy;
  /** A kind that is answered rather than stored: access reviews. */
  answer?: (object: KubeObject, context: RuleContext) => KubeObject;
  /** A kind that is measured rather than stored: what a sample says of an object in `storage`, if anything. */
  measured?: (object: KubeObject, sample: UsageSample) => KubeObject | undefined;
  custom?: boolean;
}

export type Verb = 'create' | 'get' | 'list' | 'watch' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface ScalePaths {
  replicas: string[];
  statusReplicas: string[];
  /** A label selector object, or a string for custom resources. */
  selector?: string[];
}

export interface Column {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  format?: string;
  description?: string;
  priority?: number;
  cell: (object: KubeObject, now: number) => unknown;
}

/** Hooks run in this order; those that say so may change the object they get, which is a private copy. */
export interface Strategy {
  /** Fills in what the API promises when a field is left out. May change. */
  defaults?: (object: KubeObject) => void;
  /** Clears what a client must not set and sets what the server owns. May change. */
  prepareForCreate?: (object: KubeObject, context: RuleContext) => void;
  /** May change `object`. */
  prepareForUpdate?: (object: KubeObject, old: KubeObject, context: RuleContext) => void;
  validate?: (object: KubeObject, context: RuleContext) => FieldError[];
  validateUpdate?: (object: KubeObject, old: KubeObject, context: RuleContext) => FieldError[];
  validateStatus?: (object: KubeObject, old: KubeObject, context: RuleContext) => FieldError[];
  /** Which names are allowed; default: DNS subdomains. */
  name?: (name: string) => string[];
}

/** What a rule may look at: no clock, id or store of its own. */
export interface RuleContext {
  now: number;
  newId: () => string;
  /** Whose bearer token this is. */
  readToken: (token: string) => UserInfo | undefined;
  view: StoreView;
  user: UserInfo;
  serviceNetwork: string;
  warn: (text: string) => void;
}

export interface UserInfo {
  name: string;
  groups: string[];
  uid?: string;
  extra?: Record<string, string[]>;
}
