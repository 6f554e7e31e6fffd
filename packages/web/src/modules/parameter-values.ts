import type { Parameter, ParameterValue } from '@berth/core/parameter';

/** What stands in the form: text for all that is typed, as typed; a boolean for a switch. */
export type RawValues = Record<string, string | boolean>;

/** The form as it opens: what is set, else the template's default. Secrets are never filled in. */
export function rawFromValues(
  parameters: readonly Parameter[],
  values: Record<string, ParameterValue> = {},
): RawValues {
  return Object.fromEntries(
    parameters.map((parameter) => {
      if (parameter.type === 'secret') return [parameter.name, ''];
      const value = values[parameter.name] ?? parameter.default;
      if (parameter.type === 'boolean') return [parameter.name, value === true];
      return [parameter.name, value === undefined ? '' : String(value)];
    }),
  );
}

/**
 * What is sent. An empty field is left out, so that "optional" and "is required" mean what they say; only an emptied text
 * that has a default is sent as empty, or the default would come back. A number that is none stays text for the schema to refuse.
 */
export function valuesFromRaw(parameters: readonly Parameter[], raw: RawValues): Record<string, ParameterValue> {
  const values: Record<string, ParameterValue> = {};
  for (const parameter of parameters) {
    const typed = raw[parameter.name] ?? '';
    const value = typeof typed === 'boolean' ? typed : typedValue(parameter, typed);
    if (value !== undefined) values[parameter.name] = value;
  }
  return values;
}

function typedValue(parameter: Parameter, typed: string): ParameterValue | undefined {
  if (typed === '') return parameter.type === 'text' && parameter.default && !parameter.required ? '' : undefined;
  if (parameter.type !== 'number') return typed;
  const number = Number(typed.trim().replace(',', '.'));
  return Number.isFinite(number) && typed.trim() !== '' ? number : typed;
}

/** A random value for a secret: letters and digits only, so that it fits any file, URL and shell. */
export function generateSecret(
  length: number,
  randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size)),
): string {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
  const limit = 256 - (256 % alphabet.length);
  let secret = '';
  while (secret.length < length) {
    // Bytes beyond the last full multiple are dropped: every character stays equally likely.
    for (const byte of randomBytes(length)) {
      if (byte < limit && secret.length < length) secret += alphabet[byte % alphabet.length];
    }
  }
  return secret;
}
