import type { KubeObject } from '../../../schema/object.ts';
import { isKubeError } from '../../../schema/status.ts';
import { createObject } from './create.ts';
import { MERGE_PATCH, patchObject } from './patch.ts';
import type { RuleRequest, Rules, WriteOptions } from './rules.ts';
import type { UpdateTarget } from './update.ts';

export async function applyObject(
  rules: Rules,
  request: RuleRequest,
  input: { target: UpdateTarget; patch: unknown; options: WriteOptions },
): Promise<{ object: KubeObject; created: boolean }> {
  try {
    const object = await patchObject(rules, request, { ...input, contentType: MERGE_PATCH });
    return { object, created: false };
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
    const sent = input.patch as KubeObject;
    const named = { ...sent, metadata: { ...sent.metadata, name: input.target.name } };
    return { object: await createObject(rules, request, named, input.options), created: true };
  }
}
