import { byteLength } from '@berth/core/environment';
import type { FieldError } from '@berth/core/errors';
import { nameSchema } from '@berth/core/names';
import { fieldErrors } from '@berth/core/parse';
import { type UserDeploymentSpec, userDeploymentSpecSchema } from '@berth/core/user-deployment';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import { literalFiles } from './desired/files.ts';
import { readKnown } from './read-known.ts';

/** A ConfigMap holds 1 MiB; the rest is for its keys and metadata. */
const MAX_FILES_BYTES = 1_000_000;

/** What the CRD's schema cannot check: a resource that was made with kubectl has passed no more than that. */
export function readSpec(resource: UserDeployment): { spec: UserDeploymentSpec | undefined; problems: FieldError[] } {
  const problems: FieldError[] = [];
  const name = nameSchema.safeParse(resource.metadata.name);
  if (!name.success)
    problems.push({ path: 'metadata.name', message: name.error.issues[0]?.message ?? 'is not a name' });
  const parsed = readKnown(userDeploymentSpecSchema, resource.spec);
  if (!parsed.success) {
    problems.push(...fieldErrors(parsed.error, ['spec']));
    return { spec: undefined, problems };
  }
  problems.push(...tooLargeFiles(parsed.data));
  return { spec: problems.length === 0 ? parsed.data : undefined, problems };
}

function tooLargeFiles(spec: UserDeploymentSpec): FieldError[] {
  return spec.services.flatMap((service, index) => {
    const bytes = literalFiles(service).reduce((total, { content }) => total + byteLength(content), 0);
    const message = `the files are ${bytes} bytes in total; at most ${MAX_FILES_BYTES} fit; put large data into the image or on a volume`;
    return bytes > MAX_FILES_BYTES ? [{ path: `spec.services[${index}].files`, message }] : [];
  });
}
