import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Parameter, type ParameterValue, parseParameterText } from '@berth/core/parameter';
import type { CliContext } from './context.ts';
import { CliError, EXIT_CODES } from './exit-codes.ts';

export interface GivenValues {
  set?: readonly string[];
  secret?: readonly string[];
}

/**
 * Values from `--set name=value` and `--secret name=@FILE`, `name=-` (standard input) or `name` (asked for). Bytes stay as
 * they are, a line end at the end of a file included.
 */
export async function readValues(
  context: CliContext,
  parameters: readonly Parameter[],
  given: GivenValues,
): Promise<Record<string, ParameterValue>> {
  const values: Record<string, ParameterValue> = {};
  const take = (name: string, value: ParameterValue): void => {
    if (Object.hasOwn(values, name)) throw usage(`"${name}" is given twice`);
    values[name] = value;
  };
  for (const text of given.set ?? []) {
    const [name, value] = split(text);
    if (value === undefined) throw usage(`--set ${text} has no value: write --set ${name}=VALUE`);
    const parameter = findParameter(parameters, name);
    if (parameter.type === 'secret') {
      context.output.note(
        `"${name}" is a secret, and a command line shows in the shell's history: --secret ${name} asks for it\n`,
      );
    }
    take(name, parseParameterText(parameter, value));
  }
  for (const text of given.secret ?? []) {
    const [name, source] = split(text);
    const parameter = findParameter(parameters, name);
    if (parameter.type !== 'secret') throw usage(`"${name}" is no secret: write --set ${name}=VALUE`);
    take(name, await readSecret(context, name, source));
  }
  return values;
}

async function readSecret(context: CliContext, name: string, source: string | undefined): Promise<string> {
  if (source === undefined || source === '') {
    if (context.input.isTerminal) return context.input.askHidden(`${name}: `);
    throw usage(`--secret ${name} can ask only at a terminal: write --secret ${name}=@FILE or ${name}=-`);
  }
  if (source === '-') return decode(name, await context.input.readAll());
  if (source.startsWith('@')) return decode(name, readSecretFile(context, source.slice(1)));
  throw usage(
    `--secret ${name} takes @FILE, - for standard input, or nothing to be asked; a value here would show in the shell's history`,
  );
}

function readSecretFile(context: CliContext, path: string): Buffer {
  try {
    return readFileSync(resolve(context.currentDirectory, path));
  } catch (error) {
    throw usage(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function decode(name: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usage(`the value of "${name}" is not UTF-8 text, which a secret must be: encode it, as with base64`);
  }
}

function findParameter(parameters: readonly Parameter[], name: string): Parameter {
  const parameter = parameters.find((each) => each.name === name);
  if (parameter) return parameter;
  const known = parameters.map((each) => each.name).join(', ');
  throw usage(`the template has no parameter "${name}"; ${known === '' ? 'it takes none' : `it takes ${known}`}`);
}

function split(text: string): [string, string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function usage(message: string): CliError {
  return new CliError(EXIT_CODES.usage, message);
}
