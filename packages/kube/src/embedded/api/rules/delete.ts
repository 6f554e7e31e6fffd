import type { KubeObject } from '../../../schema/object.ts';
import type { StoredRecord, StoreView } from '../../store/store.ts';
import { badRequest, conflict, notFound } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { type ListQuery, listObjects } from './list.ts';
import { addressOf, fromStored, type RuleRequest, type Rules, timestamp, toStored } from './rules.ts';

export interface DeleteOptions {
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  dryRun: boolean;
}

export interface Deletion {
  object: KubeObject;
  /** False while finalizers or a grace period hold it. */
  gone: boolean;
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';
const DEFAULT_POD_GRACE_SECONDS = 30;
const PRESERVED =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

export async function deleteObject(
  rules: Rules,
  request: RuleRequest,
  target: { name: string; options: DeleteOptions },
): Promise<Deletion> {
  const { kind } = request;
  const { name, options } = target;
  if (kind.orphansByDefault && options.propagationPolicy === undefined) request.warn(PRESERVED);
  let gone = false;
  const decide = (current: StoredRecord | undefined, _view: StoreView) => {
    if (!current) throw notFound(kind, name);
    checkPreconditions(kind, current.object, options);
    const marked = markDeleted(kind, current.object, options, rules.clock.now());
    gone = mayGo(kind, marked);
    if (!gone) return marked;
    // What goes at once was never going, but for pods: theirs is always a graceful end.
    return {
      removed: isGraceful(kind) || current.object.metadata.deletionTimestamp ? marked : structuredClone(current.object),
    };
  };
  const address = addressOf(kind, request.namespace, name);
  const { record } = options.dryRun ? rules.store.preview(address, decide) : await rules.store.write(address, decide);
  return { object: fromStored(kind, record!.object), gone };
}

export async function deleteCollection(
  rules: Rules,
  request: RuleRequest,
  query: { list: ListQuery; options: DeleteOptions },
) {
  const found = listObjects(rules, request, query.list);
  for (const { metadata } of found.objects) {
    const target = { ...request, namespace: metadata.namespace ?? '' };
    // Each object by its own identity: one that was made anew meanwhile stays.
    const options = { ...query.options, preconditions: { uid: metadata.uid! } };
    await deleteObject(rules, target, { name: metadata.name, options }).catch((error: unknown) => {
      if (!isGoneAlready(error)) throw error;
    });
  }
  return found;
}

function isGoneAlready(error: unknown): boolean {
  const code = (error as { code?: number }).code;
  return code === 404 || code === 409;
}

/** After an ordinary write: an object that waits only for its finalizers goes with the last of them. */
export function removalAfterUpdate(kind: Kind, object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && mayGo(kind, object);
}

function mayGo(kind: Kind, object: KubeObject): boolean {
  const { finalizers, deletionGracePeriodSeconds } = object.metadata;
  if (finalizers && finalizers.length > 0) return false;
  if (isNamespace(kind)) {
    const spec = object.spec as { finalizers?: string[] } | undefined;
    return (spec?.finalizers ?? []).length === 0;
  }
  return (deletionGracePeriodSeconds ?? 0) === 0;
}

function isNamespace({ group, plural }: Kind): boolean {
  return group === '' && plural === 'namespaces';
}

function isGraceful({ group, plural }: Kind): boolean {
  return group === '' && plural === 'pods';
}

function checkPreconditions(kind: Kind, { metadata }: KubeObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions ?? {};
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict({ group: '', plural: kind.kind }, metadata.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict({ group: '', plural: kind.kind }, metadata.name, why);
  }
}

function markDeleted(kind: Kind, current: KubeObject, options: DeleteOptions, now: number): KubeObject {
  const object = structuredClone(current);
  const { metadata } = object;
  const seconds = graceOf(kind, object, options);
  setFinalizers(object, options.propagationPolicy ?? defaultPolicy(kind, object));
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = timestamp(now + seconds * 1000);
    if (!isNamespace(kind)) metadata.deletionGracePeriodSeconds = seconds;
    if (metadata.generation) metadata.generation += 1;
  } else if (seconds < (metadata.deletionGracePeriodSeconds ?? 0)) {
    // A later delete may only hurry.
    const begun = Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    metadata.deletionTimestamp = timestamp(Math.max(begun + seconds * 1000, seconds === 0 ? 0 : now));
    metadata.deletionGracePeriodSeconds = seconds;
  }
  if (isNamespace(kind)) object.status = { ...(object.status as object), phase: 'Terminating' };
  return toStored(kind, object);
}

/** Only a pod that a node may be running gets time to end. */
function graceOf(kind: Kind, object: KubeObject, { gracePeriodSeconds }: DeleteOptions): number {
  if (!isGraceful(kind)) return 0;
  const spec = object.spec as { nodeName?: string; terminationGracePeriodSeconds?: number };
  const { phase } = (object.status ?? {}) as { phase?: string };
  if (!spec.nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  const wanted = gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? DEFAULT_POD_GRACE_SECONDS;
  return wanted < 0 ? 1 : wanted;
}

type Propagation = DeleteOptions['propagationPolicy'];

/** What an earlier delete or the object's maker decided stays. */
function defaultPolicy(kind: Kind, { metadata }: KubeObject): Propagation {
  const decided = metadata.finalizers?.some((finalizer) => finalizer === ORPHAN || finalizer === FOREGROUND);
  return kind.orphansByDefault && !decided ? 'Orphan' : undefined;
}

function setFinalizers({ metadata }: KubeObject, propagationPolicy: Propagation): void {
  if (propagationPolicy === undefined || metadata.deletionTimestamp !== undefined) return;
  const others = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (propagationPolicy === 'Orphan') others.push(ORPHAN);
  if (propagationPolicy === 'Foreground') others.push(FOREGROUND);
  if (others.length > 0) metadata.finalizers = others;
  else delete metadata.finalizers;
}

/** Reads DeleteOptions from a body and the query; the body wins, as on a real server. */
export function parseDeleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const sent = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const grace =
    sent.gracePeriodSeconds ?? (query.has('gracePeriodSeconds') ? Number(query.get('gracePeriodSeconds')) : undefined);
  if (grace !== undefined && !Number.isInteger(grace))
    throw badRequest('gracePeriodSeconds must be a whole number of seconds');
  const policy = policyOf(sent, query);
  const dryRun = (sent.dryRun as string[] | undefined) ?? query.getAll('dryRun');
  return {
    ...(grace !== undefined && { gracePeriodSeconds: grace as number }),
    ...(policy && { propagationPolicy: policy }),
    ...(sent.preconditions ? { preconditions: sent.preconditions as { uid?: string } } : {}),
    dryRun: dryRun.includes('All'),
  };
}

function policyOf(sent: Record<string, unknown>, query: URLSearchParams): DeleteOptions['propagationPolicy'] {
  const orphan =
    sent.orphanDependents ?? (query.has('orphanDependents') ? query.get('orphanDependents') === 'true' : undefined);
  if (orphan !== undefined) return orphan ? 'Orphan' : 'Background';
  const policy = sent.propagationPolicy ?? query.get('propagationPolicy') ?? undefined;
  if (policy === undefined || policy === 'Background' || policy === 'Foreground' || policy === 'Orphan') return policy;
  throw badRequest(`invalid propagationPolicy ${JSON.stringify(policy)}: use Background, Foreground or Orphan`);
}
