import jsonPatch from 'fast-json-patch';
import type { KubeObject } from '../../../schema/object.ts';
import { KubeError } from '../../../schema/status.ts';
import { decodeObject } from '../decode.ts';
import { badRequest, unsupportedMediaType } from '../errors.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { strategicMerge } from '../patch/strategic-merge.ts';
import type { RuleRequest, Rules, WriteOptions } from './rules.ts';
import { changeObject, type UpdateTarget } from './update.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** PATCH in its three classical forms; server-side apply is in apply.ts. */
export async function patchObject(
  rules: Rules,
  request: RuleRequest,
  input: { target: UpdateTarget; contentType: string; patch: unknown; options: WriteOptions },
): Promise<KubeObject> {
  const { kind } = request;
  const { target, options } = input;
  const apply = patcher(request, input.contentType, input.patch);
  const change = (current: KubeObject) => {
    const patched = apply(current);
    return decodeObject(kind, patched, options.fieldValidation, request.warn);
  };
  return changeObject(rules, request, {
    target,
    options: { ...options, isPatch: true },
    change: (current) => checkIdentity(change(current), current),
  });
}

function patcher({ kind }: RuleRequest, contentType: string, patch: unknown): (current: KubeObject) => unknown {
  if (contentType === JSON_PATCH) return (current) => applyJsonPatch(current, patch);
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    throw badRequest(`the patch is not an object`);
  }
  if (contentType === MERGE_PATCH) return (current) => mergePatch(current, patch);
  if (contentType === STRATEGIC_PATCH && !kind.custom)
    return (current) => strategicMerge(kind.schema, current, patch as Record<string, unknown>);
  const accepted = kind.custom
    ? [JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
    : [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH];
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

function applyJsonPatch(current: KubeObject, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw badRequest('error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  if (patch.length > 10_000)
    throw badRequest(`The allowed maximum operations in a JSON patch is 10000, got ${patch.length}`);
  try {
    // Banning prototype changes; validating, so that a bad operation names itself.
    return jsonPatch.applyPatch(structuredClone(current), patch, true, true, true).newDocument;
  } catch (error) {
    // A real server keeps the details to itself.
    throw new KubeError(422, 'Invalid', 'the server rejected our request due to an error in our request', {}, error);
  }
}

function checkIdentity(wanted: KubeObject, current: KubeObject): KubeObject {
  if (wanted.metadata.name !== current.metadata.name) {
    throw badRequest(
      `the name of the object (${wanted.metadata.name}) does not match the name on the URL (${current.metadata.name})`,
    );
  }
  if ((wanted.metadata.namespace ?? '') !== (current.metadata.namespace ?? '')) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return wanted;
}
