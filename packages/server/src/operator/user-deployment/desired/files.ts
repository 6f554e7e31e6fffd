import { sha256 } from '../../sha256.ts';
import type { Workload } from './workload.ts';

/**
 * Where a service's or job's files come from. Each is mounted by `subPath`, on its own: a volume over the whole folder would hide
 * what the image has there, and nobody but the image knows what that is. The one drawback of `subPath`, that a change does
 * not reach running pods, is none here: a changed file or secret replaces the pods.
 */
export interface FileMount {
  path: string;
  /** The key in the ConfigMap or Secret. */
  key: string;
}

type Files = Pick<Workload, 'files'>;

export function literalFiles(workload: Files): (FileMount & { content: string })[] {
  return (workload.files ?? []).flatMap(({ path, content }) =>
    content === undefined ? [] : [{ path, key: fileKey(path), content }],
  );
}

export function secretFiles(workload: Files): FileMount[] {
  return (workload.files ?? []).flatMap(({ path, secretKey }) =>
    secretKey === undefined ? [] : [{ path, key: secretKey }],
  );
}

/** The keys of the deployment's secrets that a service or job uses, each once. */
export function usedSecretKeys(workload: Files & Pick<Workload, 'env'>): string[] {
  const keys = [...(workload.env ?? []), ...(workload.files ?? [])].map((item) => item.secretKey);
  return [...new Set(keys.filter((key) => key !== undefined))].sort();
}

/** Changes when a literal file does. */
export function filesHash(workload: Files): string | undefined {
  const files = literalFiles(workload);
  return files.length === 0 ? undefined : sha256(JSON.stringify(files));
}

/** Readable and distinct for every path; a key may hold letters, digits and `-._` only. */
function fileKey(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/[^-._a-zA-Z0-9]/g, '_');
  return `${name.slice(0, 100)}.${sha256(path).slice(0, 10)}`;
}
