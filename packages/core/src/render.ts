import { invalidInput } from './errors.ts';
import type { Job } from './job.ts';
import { serviceObjectName } from './names.ts';
import { defaultValues, type ParameterValue, valuesSchema } from './parameter.ts';
import { fieldErrors, parseInput } from './parse.ts';
import type { Service } from './service.ts';
import type { Template, TemplateSpec } from './template.ts';
import { type Exposure, secretUses, type UserDeploymentSpec, userDeploymentSpecSchema } from './user-deployment.ts';

/**
 * Template plus values gives the spec of a `UserDeployment`. Text of a template may hold `${{ expression }}`:
 *
 *   parameters.NAME       a value that was filled in (never a secret: those go by `secretKey`)
 *   services.NAME.host    the name under which other services reach it
 *   deployment.name, deployment.host, deployment.url
 *   addresses.SUFFIX.host   the host of one of `extraExposures`
 *
 * One pass, nothing is scanned twice: a value that looks like an expression stays what it is. `$${{` writes `${{`.
 */
export interface RenderInput {
  template: Template;
  name: string;
  displayName?: string;
  values: Record<string, ParameterValue | undefined>;
  /** The claimed public host, when the template exposes a service. */
  host?: string;
  url?: string;
  /** More hosts that reach what `host` reaches. */
  aliases?: readonly string[];
  /** How many pods somebody asked for, by service, instead of what the template says. */
  replicas?: Readonly<Record<string, number>>;
}

/** Throws `invalid_input` with paths under `values` for wrong values and under `services` for a bad template. */
export function renderTemplate(input: RenderInput): UserDeploymentSpec {
  const { spec } = input.template;
  const lookup = expressionLookup(input, checkValues(spec, input.values));
  const services = scaled(mapText(spec.services, lookup) as Service[], input.replicas ?? {});
  const jobs = mapText(spec.jobs ?? [], lookup, 'jobs') as Job[];
  const secretKeys = (spec.parameters ?? []).filter((each) => each.type === 'secret').map((each) => each.name);
  const used = new Set(secretUses({ services, jobs }).map(({ key }) => key));
  const exposure = exposureOf(input);
  const rendered = {
    ...(input.displayName !== undefined && { displayName: input.displayName }),
    template: { name: input.template.metadata.name, version: spec.version },
    desired: 'running',
    services,
    ...(jobs.length > 0 && { jobs }),
    ...(exposure.length > 0 && { exposure }),
    secretKeys: secretKeys.filter((key) => used.has(key)),
  };
  return parseInput(userDeploymentSpecSchema, rendered, 'The deployment');
}

/** Every host that a deployment of this template answers at; none without a host. */
export function exposureOf({
  template,
  host,
  aliases = [],
}: Pick<RenderInput, 'template' | 'host' | 'aliases'>): Exposure[] {
  const { exposure, extraExposures = [] } = template.spec;
  if (!exposure || host === undefined) return [];
  return [
    { host, ...exposure },
    ...aliases.map((alias) => ({ host: alias, ...exposure })),
    ...extraExposures.map(({ suffix, ...target }) => ({ host: hostWithSuffix(host, suffix), ...target })),
  ];
}

function hostWithSuffix(host: string, suffix: string): string {
  const [label = '', ...domain] = host.split('.');
  return [`${label}-${suffix}`, ...domain].join('.');
}

/** A number for a service that is not there any more is left out; what it may be is checked with the whole. */
function scaled(services: Service[], replicas: Readonly<Record<string, number>>): Service[] {
  return services.map((service) => {
    const asked = Object.hasOwn(replicas, service.name) ? replicas[service.name] : undefined;
    return asked === undefined ? service : { ...service, replicas: asked };
  });
}

/** Checks values against the template's parameters and fills in defaults. Secrets are checked and left out of the result. */
export function checkValues(
  spec: TemplateSpec,
  values: Record<string, ParameterValue | undefined>,
  options: { keepSecrets?: boolean } = {},
): Record<string, ParameterValue> {
  const parameters = spec.parameters ?? [];
  // When a deployment is edited, a secret that is left empty keeps its value, so it cannot be required then.
  const asked = options.keepSecrets
    ? parameters.map((each) => (each.type === 'secret' ? { ...each, required: false } : each))
    : parameters;
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  const result = valuesSchema(asked).safeParse({ ...defaultValues(parameters), ...given });
  if (!result.success) throw invalidInput('The form', fieldErrors(result.error, ['values']));
  const secrets = new Set(parameters.filter((each) => each.type === 'secret').map((each) => each.name));
  return Object.fromEntries(
    Object.entries(result.data).filter(([name, value]) => value !== undefined && !secrets.has(name)),
  ) as Record<string, ParameterValue>;
}

/** Refuses a template in which an expression leads nowhere, whatever values are given. */
export function requireKnownExpressions(template: Template): void {
  const { services, jobs = [], parameters = [] } = template.spec;
  const values = Object.fromEntries(parameters.map(({ name }) => [name, '']));
  const lookup = expressionLookup({ template, name: '', values }, values);
  mapText(services, lookup, 'spec.services');
  mapText(jobs, lookup, 'spec.jobs');
}

type Lookup = (expression: string) => string | undefined;

function expressionLookup(input: RenderInput, values: Record<string, ParameterValue>): Lookup {
  const known = new Map<string, string>([
    ['deployment.name', input.name],
    ['deployment.host', input.host ?? ''],
    ['deployment.url', input.url ?? ''],
  ]);
  for (const { name } of input.template.spec.services) {
    known.set(`services.${name}.host`, serviceObjectName(input.name, name));
  }
  for (const { suffix } of input.template.spec.extraExposures ?? []) {
    known.set(`addresses.${suffix}.host`, input.host === undefined ? '' : hostWithSuffix(input.host, suffix));
  }
  for (const parameter of input.template.spec.parameters ?? []) {
    if (parameter.type !== 'secret') known.set(`parameters.${parameter.name}`, String(values[parameter.name] ?? ''));
  }
  return (expression) => known.get(expression);
}

const EXPRESSION = /(\$?)\$\{\{\s*([^{}]*?)\s*\}\}/g;

function mapText(value: unknown, lookup: Lookup, path = 'services'): unknown {
  if (typeof value === 'string') {
    return value.replace(EXPRESSION, (whole, escaped: string, expression: string) => {
      if (escaped === '$') return whole.slice(1);
      const found = lookup(expression);
      if (found === undefined) {
        throw invalidInput('The template', [
          {
            path,
            message: `\${{ ${expression} }} is unknown; use parameters.NAME (not of a secret), services.NAME.host, addresses.SUFFIX.host or deployment.name, .host, .url`,
          },
        ]);
      }
      return found;
    });
  }
  if (Array.isArray(value)) return value.map((item, index) => mapText(item, lookup, `${path}[${index}]`));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, mapText(item, lookup, `${path}.${key}`)]),
    );
  }
  return value;
}
