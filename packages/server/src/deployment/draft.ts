import {
  byteLength,
  environmentValueProblem,
  MAX_ENVIRONMENT_TOTAL_BYTES,
  shellCannotRead,
} from '@berth/core/environment';
import { BerthError, type FieldError, invalidInput } from '@berth/core/errors';
import type { Parameter, ParameterValue } from '@berth/core/parameter';
import { quantity } from '@berth/core/quantity';
import { checkValues, renderTemplate } from '@berth/core/render';
import type { Service } from '@berth/core/service';
import type { Template } from '@berth/core/template';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import { DEFAULT_REQUEST } from './namespace.ts';
import { refuseSlowPatterns } from './slow-patterns.ts';

/**
 * What a form means, before anything is written: the spec, the plain values, and the secrets to store. Pure, so that a preview and
 * a create cannot differ, and everything that could be refused is refused here.
 *
 * A secret's way: given, it is stored; left out or left empty, a stored one is kept, else one that can be generated is
 * generated, else an optional one is stored empty, so that the variable it fills exists and is empty.
 */
export interface DraftInput {
  template: Template;
  name: string;
  displayName?: string | undefined;
  host?: string | undefined;
  url?: string | undefined;
  values: Record<string, ParameterValue | undefined>;
  /** More hosts that reach what `host` reaches. */
  aliases?: readonly string[];
  /** How many pods somebody asked for, by service. */
  replicas?: Readonly<Record<string, number>>;
  /** Sizes in bytes of the secrets that have a value already. */
  stored: ReadonlyMap<string, number>;
  generateSecret(length: number): string;
}

export interface Draft {
  spec: UserDeploymentSpec;
  /** Without secrets. */
  values: Record<string, ParameterValue>;
  /** To be stored. */
  secrets: ReadonlyMap<string, string>;
}

/** A custom resource larger than this does not fit the cluster's store with its status beside it. */
export const MAX_RESOURCE_BYTES = 1024 * 1024;

export function draftDeployment(input: DraftInput): Draft {
  const { template, stored } = input;
  const parameters = template.spec.parameters ?? [];
  const asked = parameters.map((each) => askedOf(each, stored));
  const spec = { ...template.spec, parameters: asked };
  const given = withoutEmptySecrets(input.values, asked);
  refuseSlowPatterns(asked, given);
  const values = checkValues(spec, given);
  refuseWhatNoRowHolds({ displayName: input.displayName, values });
  const rendered = renderTemplate({
    template: { ...template, spec },
    name: input.name,
    values: given,
    ...(input.displayName !== undefined && { displayName: input.displayName }),
    ...(input.host !== undefined && { host: input.host }),
    ...(input.url !== undefined && { url: input.url }),
    ...(input.aliases && { aliases: input.aliases }),
    ...(input.replicas && { replicas: input.replicas }),
  });
  const secrets = secretsToStore(parameters, given, input);
  refuseSecrets(rendered, secrets, stored);
  return { spec: rendered, values, secrets };
}

/** A secret with a value is not asked for again. */
function askedOf(parameter: Parameter, stored: ReadonlyMap<string, number>): Parameter {
  if (parameter.type !== 'secret' || !stored.has(parameter.name)) return parameter;
  return { ...parameter, required: false };
}

/** An empty field of a form is a secret that was left out, unless it is one that must be filled in. */
function withoutEmptySecrets(values: DraftInput['values'], parameters: readonly Parameter[]): DraftInput['values'] {
  const secrets = new Set(parameters.filter((each) => each.type === 'secret').map((each) => each.name));
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !(value === '' && secrets.has(name))));
}

function secretsToStore(
  parameters: readonly Parameter[],
  given: DraftInput['values'],
  { stored, generateSecret }: DraftInput,
): Map<string, string> {
  const secrets = new Map<string, string>();
  for (const parameter of parameters) {
    if (parameter.type !== 'secret') continue;
    const value = given[parameter.name];
    if (value !== undefined) secrets.set(parameter.name, String(value));
    else if (!stored.has(parameter.name)) {
      secrets.set(parameter.name, parameter.generate ? generateSecret(parameter.generate.length) : '');
    }
  }
  return secrets;
}

/** PostgreSQL and JSON documents hold every text but these. */
export function refuseWhatNoRowHolds(input: { displayName?: string | undefined; values: object }): void {
  const fields: FieldError[] = Object.entries(input.values)
    .filter(([, value]) => typeof value === 'string' && !isPlainText(value))
    .map(([name]) => ({ path: `values.${name}`, message: 'holds a NUL byte or is not valid Unicode text' }));
  if (input.displayName !== undefined && !isPlainText(input.displayName)) {
    fields.push({ path: 'displayName', message: 'holds a NUL byte or is not valid Unicode text' });
  }
  if (fields.length > 0) throw invalidInput('The form', fields);
}

export function isPlainText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function refuseSecrets(
  spec: UserDeploymentSpec,
  secrets: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string, number>,
): void {
  const variables = spec.services.flatMap((service) => service.env ?? []);
  const carried = new Set(variables.map((variable) => variable.secretKey));
  const fields: FieldError[] = [];
  for (const [key, value] of secrets) {
    const problem = carried.has(key)
      ? environmentValueProblem(value)
      : value.isWellFormed()
        ? undefined
        : 'is not valid Unicode text';
    if (problem) fields.push({ path: `values.${key}`, message: problem });
  }
  if (fields.length > 0) throw invalidInput('The form', fields);
  const sizeOf = (key: string) => byteLength(secrets.get(key) ?? '') || (stored.get(key) ?? 0);
  const total = variables.reduce(
    (sum, { name, value, secretKey }) =>
      sum + byteLength(name) + 2 + (secretKey === undefined ? byteLength(value ?? '') : sizeOf(secretKey)),
    0,
  );
  if (total > MAX_ENVIRONMENT_TOTAL_BYTES) {
    throw tooLarge(`its environment is ${total} bytes with its secrets; at most ${MAX_ENVIRONMENT_TOTAL_BYTES} fit`);
  }
}

export function refuseOversizedResource(resource: object): void {
  const bytes = byteLength(JSON.stringify(resource));
  if (bytes <= MAX_RESOURCE_BYTES) return;
  throw tooLarge(`its resource is ${bytes} bytes; a cluster stores at most ${MAX_RESOURCE_BYTES}`);
}

function tooLarge(what: string): BerthError {
  return new BerthError('payload_too_large', `The deployment is too large: ${what}. Shorten files and values.`);
}

/** What is allowed but would surprise somebody. */
export function warningsOf(
  spec: UserDeploymentSpec,
  { hosts, domain }: { hosts: readonly string[]; domain: string },
): string[] {
  const unreadable = spec.services.flatMap((service) =>
    (service.env ?? []).filter(({ name }) => shellCannotRead(name)).map(({ name }) => `${name} (${service.name})`),
  );
  const warnings: string[] = [];
  if (unreadable.length > 0) {
    warnings.push(
      `No shell can read ${[...new Set(unreadable)].join(', ')} as a variable; programs receive it. A file works everywhere.`,
    );
  }
  for (const host of hosts) {
    if (host !== domain && !host.endsWith(`.${domain}`)) {
      warnings.push(`${host} answers only once its DNS record points here.`);
    }
  }
  return warnings;
}

/** Of a service with a volume, which only one pod can use at a time. */
export function downtimeWarnings(spec: UserDeploymentSpec): string[] {
  return spec.services
    .filter(({ volumes }) => volumes?.length)
    .map(
      ({ name }) =>
        `${name} keeps data in a volume, so it runs as one pod: an update of it takes it down for some seconds.`,
    );
}

/** What one pod of a service takes of the plan. */
export function requestsOf({ resources }: Pick<Service, 'resources'>): { cpu: number; memory: number } {
  const { requests = {}, limits = {} } = resources ?? {};
  return {
    cpu: quantity(requests.cpu ?? limits.cpu ?? DEFAULT_REQUEST.cpu),
    memory: quantity(requests.memory ?? limits.memory ?? DEFAULT_REQUEST.memory),
  };
}

/** Requested cores, bytes of memory and bytes of volumes of all pods together. */
export function usesOf(spec: UserDeploymentSpec): { cpu: number; memory: number; storage: number } {
  const uses = { cpu: 0, memory: 0, storage: 0 };
  for (const service of spec.services) {
    const pods = service.replicas ?? 1;
    const { cpu, memory } = requestsOf(service);
    uses.cpu += cpu * pods;
    uses.memory += memory * pods;
    for (const volume of service.volumes ?? []) uses.storage += quantity(volume.size);
  }
  // To thousandths, which is what CPU is given in: sums of fractions are not exact.
  return { ...uses, cpu: Math.round(uses.cpu * 1000) / 1000 };
}
