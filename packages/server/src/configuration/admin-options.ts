import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PLAN_NAMES, type PlanName } from '@berth/core/plans';
import { SettingsError } from './environment.ts';

/** What `berth admin create EMAIL` is told. */
export interface AdminOptions {
  email: string;
  name: string;
  dataDirectory: string;
  databaseUrl: string | undefined;
  /** Of the account's personal organization. */
  plan: PlanName;
}

interface AdminSource {
  parameters: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  currentDirectory: string;
}

const FLAGS = ['email', 'name', 'data', 'plan'] as const;
const USAGE = 'write: berth admin create EMAIL [--name NAME] [--data DIR]';

export function readAdminOptions({ parameters, environment, currentDirectory }: AdminSource): AdminOptions {
  const { values, positionals, tokens } = parseArgs({
    args: [...parameters],
    options: Object.fromEntries(FLAGS.map((name) => [name, { type: 'string' as const }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const text = (name: (typeof FLAGS)[number]): string | undefined =>
    typeof values[name] === 'string' && values[name] !== '' ? values[name] : undefined;
  const [verb, positional, ...more] = positionals;
  const email = text('email') ?? positional;
  const plan = PLAN_NAMES.find((each) => each === (text('plan') ?? 'enterprise'));
  const unknown = tokens.flatMap((token) =>
    token.kind === 'option' && !FLAGS.some((name) => name === token.name) ? [token.rawName] : [],
  );
  const problems = [
    ...(verb === 'create' ? [] : [`"${verb ?? ''}" is not understood: ${USAGE}`]),
    ...(email === undefined ? [`the account's e-mail address is missing: ${USAGE}`] : []),
    ...more.map((word) => `"${word}" is one word too many: ${USAGE}`),
    ...unknown.map((flag) => `there is no flag ${flag}: ${USAGE}`),
    ...(plan === undefined ? [`--plan must be one of ${PLAN_NAMES.join(', ')}`] : []),
  ];
  if (problems.length > 0 || email === undefined || plan === undefined)
    throw new SettingsError('berth admin', problems);
  return {
    email,
    plan,
    name: text('name') ?? email.split('@')[0] ?? email,
    dataDirectory: resolve(currentDirectory, text('data') ?? '.berth'),
    databaseUrl: environment.DATABASE_URL || undefined,
  };
}
