import { z } from 'zod';

/** One question that a template asks: the same record draws the form, checks the API's input and documents the CLI. */
const common = {
  name: z
    .string()
    .regex(/^[a-z][A-Za-z0-9]{0,39}$/, { error: 'use camelCase, at most 40 characters, such as adminPassword' }),
  label: z.string().min(1).max(60),
  help: z.string().max(300).optional(),
  advanced: z.boolean().optional().describe('Folded away in the form.'),
};

export const textParameterSchema = z.strictObject({
  ...common,
  type: z.literal('text'),
  default: z.string().max(4096).optional(),
  required: z.boolean().optional(),
  placeholder: z.string().max(100).optional(),
  multiline: z.boolean().optional(),
  minLength: z.int().min(0).optional(),
  maxLength: z.int().min(1).max(65536).optional(),
  pattern: z
    .string()
    .max(200)
    .refine(isPattern, { error: 'is not a regular expression' })
    .optional()
    .describe('A regular expression that the whole text must match.'),
  patternHint: z.string().max(200).optional().describe('What the pattern wants, in words.'),
});
export const numberParameterSchema = z.strictObject({
  ...common,
  type: z.literal('number'),
  default: z.number().optional(),
  required: z.boolean().optional(),
  integer: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  unit: z.string().max(20).optional(),
});
export const booleanParameterSchema = z.strictObject({
  ...common,
  type: z.literal('boolean'),
  default: z.boolean().optional(),
});
export const choiceParameterSchema = z.strictObject({
  ...common,
  type: z.literal('choice'),
  default: z.string().optional(),
  required: z.boolean().optional(),
  choices: z
    .array(z.strictObject({ value: z.string().max(200), label: z.string().max(60) }))
    .min(1)
    .max(50),
});
/** Write-only: its value goes to the secrets store and never comes back. */
export const secretParameterSchema = z.strictObject({
  ...common,
  type: z.literal('secret'),
  required: z.boolean().optional(),
  minLength: z.int().min(0).optional(),
  maxLength: z.int().min(1).max(65536).optional(),
  multiline: z.boolean().optional(),
  generate: z
    .strictObject({ length: z.int().min(8).max(128) })
    .optional()
    .describe('Made at random when left empty.'),
});

export const parameterSchema = z.discriminatedUnion('type', [
  textParameterSchema,
  numberParameterSchema,
  booleanParameterSchema,
  choiceParameterSchema,
  secretParameterSchema,
]);
export type Parameter = z.infer<typeof parameterSchema>;
export type ParameterValue = string | number | boolean;

/** The schema of one parameter's value. For `secret`, of what is typed, where absent means keep or generate. */
export function parameterValueSchema(parameter: Parameter): z.ZodType<ParameterValue | undefined> {
  switch (parameter.type) {
    case 'text':
      return optionalUnless(parameter.required, textSchema(parameter));
    case 'secret':
      return optionalUnless(parameter.required && !parameter.generate, textSchema(parameter));
    case 'number':
      return optionalUnless(parameter.required, numberSchema(parameter));
    case 'boolean':
      return z.boolean().optional();
    case 'choice': {
      const values = parameter.choices.map((choice) => choice.value);
      return optionalUnless(
        parameter.required,
        z.enum(values as [string, ...string[]], { error: `choose one of ${values.join(', ')}` }),
      );
    }
  }
}

/** The schema of all values of a template: unknown names are refused by name. */
export function valuesSchema(parameters: readonly Parameter[]): z.ZodType<Record<string, ParameterValue | undefined>> {
  return z.strictObject(Object.fromEntries(parameters.map((each) => [each.name, parameterValueSchema(each)])));
}

export function defaultValues(parameters: readonly Parameter[]): Record<string, ParameterValue> {
  const values: Record<string, ParameterValue> = {};
  for (const parameter of parameters) {
    if (parameter.type !== 'secret' && parameter.default !== undefined) values[parameter.name] = parameter.default;
  }
  return values;
}

/** Reads what a person typed after `--set name=` by the parameter's type. Leaves what does not fit for the schema to refuse. */
export function parseParameterText(parameter: Parameter, text: string): ParameterValue {
  if (parameter.type === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (parameter.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** The whole text must match. */
export function patternOf(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 'u');
}

function isPattern(pattern: string): boolean {
  try {
    patternOf(pattern);
    return true;
  } catch {
    return false;
  }
}

function optionalUnless<S extends z.ZodType<ParameterValue>>(required: boolean | undefined, schema: S) {
  return required ? schema : schema.optional();
}

function textSchema(parameter: {
  minLength?: number;
  maxLength?: number;
  required?: boolean;
  pattern?: string;
  patternHint?: string;
}) {
  const least = parameter.minLength ?? (parameter.required ? 1 : 0);
  let schema = z
    .string({ error: 'is required' })
    .min(least, { error: least === 1 ? 'is required' : `needs at least ${least} characters` });
  if (parameter.maxLength !== undefined)
    schema = schema.max(parameter.maxLength, { error: `takes at most ${parameter.maxLength} characters` });
  if (parameter.pattern !== undefined) {
    schema = schema.regex(patternOf(parameter.pattern), {
      error: parameter.patternHint ?? `must match ${parameter.pattern}`,
    });
  }
  return schema;
}

function numberSchema(parameter: { integer?: boolean; min?: number; max?: number }) {
  let schema = parameter.integer ? z.int({ error: 'must be a whole number' }) : z.number({ error: 'must be a number' });
  if (parameter.min !== undefined) schema = schema.min(parameter.min, { error: `must be at least ${parameter.min}` });
  if (parameter.max !== undefined) schema = schema.max(parameter.max, { error: `must be at most ${parameter.max}` });
  return schema;
}
