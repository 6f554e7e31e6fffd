import { z } from 'zod';
import { sha256 } from './sha256.ts';

/**
 * Every Kubernetes name and label that Berth makes comes from here: valid, at most 63 characters, and injective, so that
 * two different things never share a name.
 *
 * A name given by a person has no two hyphens in a row. That leaves `--` as a mark that only we write: a name is
 * either the plain join of its parts (when that can be read back unambiguously) or the join cut short plus `--` and a hash.
 */
export const MAX_NAME_LENGTH = 63;
const NAME_PATTERN = /^[a-z](-?[a-z0-9])*$/;
const MAX_SCHEDULED_NAME_LENGTH = 52;
const HASH_LENGTH = 10;

export const NAME_RULE =
  'needs 1 to 63 lower-case letters, digits and single hyphens, a letter first and no hyphen last';

/** A deployment, service, volume or port name as a person gives it. */
export const nameSchema = z
  .string()
  .max(MAX_NAME_LENGTH, { error: `is longer than ${MAX_NAME_LENGTH} characters; it ${NAME_RULE}` })
  .regex(NAME_PATTERN, { error: NAME_RULE });

export function isName(text: string): boolean {
  return nameSchema.safeParse(text).success;
}

/** A name close to what was typed, for suggestions: `My Shop!` becomes `my-shop`. */
export function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/-+$/, '');
  return plain === '' ? 'app' : plain;
}

/** The namespace of a team. Built from the immutable id, so that renaming a team moves nothing. */
export function namespaceOf(teamId: string): string {
  return `berth-${teamId}`;
}

/** Name of everything that one service of a deployment owns: Deployment, Service, ConfigMap, ExternalSecret, Secret. */
export function serviceObjectName(deployment: string, service: string): string {
  return joinName([deployment, service]);
}

/** Name of the claim behind one volume of a service. */
export function volumeClaimName(deployment: string, service: string, volume: string): string {
  return joinName([deployment, service, volume]);
}

/** Name of the ConfigMap with one state of a service's or job's files: running pods keep theirs when the files change. */
export function filesObjectName(deployment: string, workload: string, content: string): string {
  return shorten(`${deployment}-${workload}`, [deployment, workload, 'files', content].join('/'));
}

/** Name of one run of a job: what has changed is another run, what has not is the same. */
export function jobRunName(deployment: string, job: string, content: string): string {
  return shorten(`${deployment}-${job}`, [deployment, job, 'run', content].join('/'));
}

/** Name of a scheduled job. Its runs add eleven characters to it, so it is shorter than others. */
export function scheduledJobName(deployment: string, job: string): string {
  const plain = joinName([deployment, job]);
  return plain.length <= MAX_SCHEDULED_NAME_LENGTH
    ? plain
    : shorten(plain, [deployment, job].join('/'), MAX_SCHEDULED_NAME_LENGTH);
}

/** Name of the record of one version of a deployment. */
export function versionName(deployment: string, specHash: string): string {
  return shorten(deployment, [deployment, 'version', specHash].join('/'));
}

/** Name of the policy that opens one service to what is outside of teams; that of the whole deployment has the deployment's name. */
export function openingName(deployment: string, service: string): string {
  return shorten(`${deployment}-${service}`, [deployment, service, 'opening'].join('/'));
}

/** A label value that stays valid and distinct for any input of the length of a name or longer. */
export function labelValue(text: string): string {
  return text.length <= MAX_NAME_LENGTH && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text)
    ? text
    : shorten(slug(text), text);
}

/**
 * Joins the parts with hyphens. Only the first part may contain hyphens for the join to be read back (the number of
 * parts is fixed for each kind of object); otherwise, and when too long, a hash of the exact parts decides.
 */
function joinName(parts: readonly [string, ...string[]]): string {
  const plain = parts.join('-');
  const readable = parts.slice(1).every((part) => !part.includes('-'));
  return readable && plain.length <= MAX_NAME_LENGTH ? plain : shorten(plain, parts.join('/'));
}

function shorten(text: string, identity: string, length = MAX_NAME_LENGTH): string {
  const head = text.slice(0, length - HASH_LENGTH - 2).replace(/-+$/, '');
  return `${head}--${sha256(identity).slice(0, HASH_LENGTH)}`;
}
