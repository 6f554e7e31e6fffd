import { z } from 'zod';

/** One setting: the variable it comes from and what it must look like. Units stand in the names. */
export interface Variable<T> {
  name: string;
  schema: z.ZodType<T, string | undefined>;
  /** A secret may also be given as NAME_FILE: a file shows in no list of processes and no crash report. */
  secret: boolean;
}

type Variables = Readonly<Record<string, Variable<unknown>>>;
export type Settings<V extends Variables> = Readonly<{ [K in keyof V]: V[K] extends Variable<infer T> ? T : never }>;

/** Where settings come from; only `main.ts` hands in the real ones. */
export interface SettingsSource {
  environment: Readonly<Record<string, string | undefined>>;
  readFile(path: string): string;
}

export function variable<T>(name: string, schema: z.ZodType<T, string | undefined>): Variable<T> {
  return { name, schema, secret: false };
}

export function secretVariable<T>(name: string, schema: z.ZodType<T, string | undefined>): Variable<T> {
  return { name, schema, secret: true };
}

/** Every wrong variable at once: nobody wants to learn of them one start at a time. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(what: string, problems: readonly string[]) {
    super(`${what} cannot start:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** Parses all variables of a process or throws one error that names every bad one. */
export function readSettings<V extends Variables>(what: string, variables: V, source: SettingsSource): Settings<V> {
  const problems: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(variables)) {
    try {
      const result = each.schema.safeParse(readVariable(each, source));
      if (result.success) settings[key] = result.data;
      else problems.push(`${each.name} ${result.error.issues.map((issue) => issue.message).join('; ')}`);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (problems.length > 0) throw new SettingsError(what, problems);
  return Object.freeze(settings) as Settings<V>;
}

/** An empty variable counts as absent. One line end at the end of a file is the editor's, not the secret's. */
function readVariable(
  { name, secret }: Variable<unknown>,
  { environment, readFile }: SettingsSource,
): string | undefined {
  const value = environment[name] || undefined;
  const file = secret ? environment[`${name}_FILE`] || undefined : undefined;
  if (file === undefined) return value;
  if (value !== undefined) throw new Error(`${name} and ${name}_FILE are both set; keep one`);
  try {
    return readFile(file).replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(
      `${name}_FILE names a file that cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

export const requiredText = z.string({ error: 'is required' }).min(1, { error: 'is required' });
export const optionalText = z.string().optional();
export const portText = z
  .string({ error: 'is required' })
  .regex(/^\d{1,5}$/, { error: 'must be a port between 1 and 65535' })
  .transform(Number)
  .refine((port) => port >= 1 && port <= 65_535, { error: 'must be a port between 1 and 65535' });
export const booleanText = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .optional()
  .transform((text) => text === 'true');
export const databaseUrlText = requiredText.regex(/^postgres(ql)?:\/\//, { error: 'must be a postgres:// address' });
