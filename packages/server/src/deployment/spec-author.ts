import { OPERATOR_MANAGER, SERVER_MANAGER } from '@berth/core/user-deployment';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';

const NOBODY_KNOWN = 'unknown';
const OURS: readonly string[] = [SERVER_MANAGER, OPERATOR_MANAGER];

/** The field manager that wrote the spec last besides us: `kubectl-edit`, `kubectl-client-side-apply`, a GitOps controller. */
export function specAuthor({ metadata }: UserDeployment): string {
  const writers = (metadata.managedFields ?? []).filter(
    ({ manager, subresource, fieldsV1 }) =>
      manager !== undefined && !OURS.includes(manager) && subresource === undefined && 'f:spec' in (fieldsV1 ?? {}),
  );
  const newest = writers.sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0];
  return newest?.manager ?? NOBODY_KNOWN;
}
