import type { KubeObject } from '../../../schema/object.ts';
import { decodeObject } from '../decode.ts';
import { alreadyExists, badRequest, invalid, plainError } from '../errors.ts';
import type { Kind, RuleContext } from '../kind.ts';
import { validateMetadata } from '../validation/metadata.ts';
import { trackUpdate } from './managed-fields.ts';
import {
  addressOf,
  contextOf,
  fromStored,
  type RuleRequest,
  type Rules,
  timestamp,
  toStored,
  type WriteOptions,
} from './rules.ts';
import { checkSize } from './size.ts';

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const LONGEST_GENERATED = 63;

export async function createObject(
  rules: Rules,
  request: RuleRequest,
  body: unknown,
  options: WriteOptions,
): Promise<KubeObject> {
  const { kind } = request;
  const sent = decodeObject(kind, body, options.fieldValidation, request.warn);
  return createDecoded(rules, request, sent, options);
}

/** For an object that is decoded already; server-side apply creates with its own managed fields. */
export async function createDecoded(
  rules: Rules,
  request: RuleRequest,
  sent: KubeObject,
  options: WriteOptions & { managed?: boolean },
): Promise<KubeObject> {
  const { kind } = request;
  placeInNamespace(kind, sent, request.namespace);
  if (sent.metadata.resourceVersion)
    throw plainError(500, 'resourceVersion should not be set on objects to be created');
  if (!sent.metadata.name && sent.metadata.generateName)
    sent.metadata.name = generateName(sent.metadata.generateName, rules.newId);
  if (kind.answer) return kind.answer(sent, contextOf(rules, request, rules.store));
  const address = addressOf(kind, sent.metadata.namespace ?? '', sent.metadata.name ?? '');
  const decide = (current: unknown, view: RuleContext['view']) => {
    if (current) throw alreadyExists(kind, sent.metadata.name);
    return toStored(kind, prepareCreate(rules, kind, sent, contextOf(rules, request, view), options));
  };
  const { record } = options.dryRun
    ? rules.store.preview(address, (current, view) => decide(current, view))
    : await rules.store.write(address, (current, view) => decide(current, view));
  return fromStored(kind, record!.object);
}

function prepareCreate(
  rules: Rules,
  kind: Kind,
  sent: KubeObject,
  context: RuleContext,
  options: WriteOptions & { managed?: boolean },
): KubeObject {
  const object = structuredClone(sent);
  const { metadata } = object;
  metadata.uid = context.newId();
  metadata.creationTimestamp = timestamp(context.now);
  for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink' as never, 'generation'] as const)
    delete metadata[field];
  if (kind.generation) metadata.generation = 1;
  if (kind.status && kind.custom) delete object.status;
  kind.strategy.defaults?.(object);
  // Before the server adds what is its own: nobody owns that.
  if (!options.managed) trackUpdate(kind, object, undefined, { manager: options.fieldManager, now: context.now });
  rules.admission.mutate(kind, object, undefined, context);
  kind.strategy.prepareForCreate?.(object, context);
  const errors = [...validateMetadata(kind, object), ...(kind.strategy.validate?.(object, context) ?? [])];
  if (errors.length > 0) throw invalid(kind, metadata.name, errors);
  rules.admission.validate(kind, object, undefined, context);
  checkSize(object);
  return object;
}

export function placeInNamespace(kind: Kind, object: KubeObject, namespace: string): void {
  if (!kind.namespaced) {
    if (object.metadata.namespace) delete object.metadata.namespace;
    return;
  }
  object.metadata.namespace ??= namespace;
  if (object.metadata.namespace === '') object.metadata.namespace = namespace;
  if (object.metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** Random, by the injected ids: five characters that make no words. */
function generateName(base: string, newId: () => string): string {
  const digits = BigInt(`0x${newId().replace(/[^0-9a-f]/gi, '') || '0'}`);
  let rest = digits;
  let suffix = '';
  for (let at = 0; at < SUFFIX_LENGTH; at++) {
    suffix += SUFFIX_ALPHABET[Number(rest % BigInt(SUFFIX_ALPHABET.length))];
    rest /= BigInt(SUFFIX_ALPHABET.length);
  }
  return base.slice(0, LONGEST_GENERATED - SUFFIX_LENGTH) + suffix;
}
