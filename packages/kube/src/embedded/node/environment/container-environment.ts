import type { Container, EnvironmentVariable, Pod } from '../../../schema/kinds/pod.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { ContainerConfigError } from './container-config-error.ts';
import { expand } from './expansion.ts';
import { fieldValue, type NodeAddresses, resourceValue } from './field-reference.ts';
import { decodeData } from './object-data.ts';

/** What a container's declaration may refer to. */
export interface ConfigurationSource {
  configMap(name: string): KubeObject | undefined;
  secret(name: string): KubeObject | undefined;
}

export interface EnvironmentInput {
  pod: Pod;
  container: Container;
  addresses: NodeAddresses;
  source: ConfigurationSource;
  serviceVariables: Record<string, string>;
}

/**
 * The environment a container declares, in the kubelet's order: service variables, then `envFrom` in turn, then `env`, each over the
 * one before. Values from ConfigMaps and Secrets are taken byte for byte; only `value` is expanded, with the
 * variables that stand before it.
 */
export function containerEnvironment(input: EnvironmentInput): Record<string, string> {
  const result: Record<string, string> = { ...input.serviceVariables };
  for (const source of input.container.envFrom ?? []) {
    const values = source.configMapRef
      ? dataOf(input.source, { kind: 'configMap', ...source.configMapRef })
      : dataOf(input.source, { kind: 'secret', name: '', ...source.secretRef });
    for (const [key, value] of Object.entries(values)) {
      result[checkedName(`${source.prefix ?? ''}${key}`)] = textOf(key, value);
    }
  }
  for (const variable of input.container.env ?? []) {
    const value = variableValue(input, variable, result);
    if (value !== undefined) result[checkedName(variable.name)] = value;
  }
  return result;
}

function variableValue(
  input: EnvironmentInput,
  variable: EnvironmentVariable,
  known: Record<string, string>,
): string | undefined {
  const from = variable.valueFrom;
  if (!from) return expand(variable.value ?? '', (name) => (Object.hasOwn(known, name) ? known[name] : undefined));
  if (from.configMapKeyRef) return keyValue(input.source, { kind: 'configMap', ...from.configMapKeyRef });
  if (from.secretKeyRef) return keyValue(input.source, { kind: 'secret', ...from.secretKeyRef });
  if (from.fieldRef) {
    const value = fieldValue(input.pod, from.fieldRef.fieldPath, input.addresses);
    if (value === undefined) {
      throw new ContainerConfigError(`env ${variable.name}: fieldPath "${from.fieldRef.fieldPath}" is not supported`);
    }
    return value;
  }
  return from.resourceFieldRef ? resourceVariable(input, variable.name, from.resourceFieldRef) : '';
}

function resourceVariable(
  input: EnvironmentInput,
  name: string,
  reference: { containerName?: string; resource: string; divisor?: string },
): string {
  const { containers, initContainers = [] } = input.pod.spec;
  const named = [...containers, ...initContainers].find((one) => one.name === reference.containerName);
  const value = resourceValue(named ?? input.container, reference);
  if (value === undefined)
    throw new ContainerConfigError(`env ${name}: resource "${reference.resource}" is not supported`);
  return value;
}

type Reference = { kind: 'configMap' | 'secret'; name: string; optional?: boolean };

function keyValue(source: ConfigurationSource, reference: Reference & { key: string }): string | undefined {
  const values = dataOf(source, reference);
  const value = values[reference.key];
  if (value !== undefined) return textOf(reference.key, value);
  if (reference.optional) return undefined;
  const kind = reference.kind === 'secret' ? 'Secret' : 'ConfigMap';
  throw new ContainerConfigError(`couldn't find key ${reference.key} in ${kind} ${reference.name}`);
}

function dataOf(source: ConfigurationSource, reference: Reference): Record<string, Buffer> {
  const object = reference.kind === 'secret' ? source.secret(reference.name) : source.configMap(reference.name);
  if (object) return decodeData(object);
  if (reference.optional) return {};
  throw new ContainerConfigError(`${reference.kind.toLowerCase()} "${reference.name}" not found`);
}

/** A process gets no variable with such a name or value: said here rather than missed at run time. */
function checkedName(name: string): string {
  if (name !== '' && !/[=\0]/.test(name)) return name;
  throw new ContainerConfigError(
    `${JSON.stringify(name)} cannot be the name of an environment variable; mount it as a file instead`,
  );
}

function textOf(key: string, value: Buffer): string {
  const text = value.toString('utf8');
  if (!value.includes(0) && Buffer.from(text, 'utf8').equals(value)) return text;
  throw new ContainerConfigError(
    `the value of key "${key}" holds NUL or bytes that are not UTF-8, which no environment variable can carry; mount it as a file`,
  );
}
