import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PLAN_NAMES, type PlanName } from '@berth/core/plans';
import { SettingsError } from './environment.ts';

/** What `berth up` is told by its flags and the two variables that it reads. */
export interface UpOptions {
  /** Everything that Berth keeps lies in here. */
  dataDirectory: string;
  /** The public port; 0 is any free one. */
  port: number;
  /** Apps answer at NAME.domain, the platform at the domain itself. */
  domain: string;
  /** The address that the public port is opened on. */
  bind: string;
  /** A cluster to use instead of the embedded one. */
  kubeconfigFile: string | undefined;
  /** What every new organization may use. */
  plan: PlanName;
  /** A PostgreSQL to use instead of the embedded one. */
  databaseUrl: string | undefined;
  /** How people reach the platform, when something stands in front of it. */
  publicUrl: string | undefined;
}

const FLAG_NAMES = ['data', 'port', 'domain', 'bind', 'kubeconfig', 'plan'] as const;
type FlagName = (typeof FLAG_NAMES)[number];
type Flags = Partial<Record<FlagName, string>>;

interface UpSource {
  parameters: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  currentDirectory: string;
}

/** Throws one error that lists everything that is wrong. */
export function readUpOptions(source: UpSource): UpOptions {
  const problems: string[] = [];
  const flags = readFlags(source.parameters, problems);
  const { environment, currentDirectory } = source;
  const options: UpOptions = {
    dataDirectory: resolve(currentDirectory, flags.data ?? '.berth'),
    port: readPort(flags.port, problems),
    domain: readDomain(flags.domain ?? 'localhost', problems),
    bind: readBind(flags.bind ?? '127.0.0.1', problems),
    kubeconfigFile: flags.kubeconfig === undefined ? undefined : resolve(currentDirectory, flags.kubeconfig),
    plan: readPlan(flags.plan ?? 'business', problems),
    databaseUrl: readAddress('DATABASE_URL', environment, {
      pattern: /^postgres(ql)?:\/\//,
      example: 'postgres://user:password@host/berth',
      problems,
    }),
    publicUrl: readAddress('BERTH_PUBLIC_URL', environment, {
      pattern: /^https?:\/\/[^/]+\/?$/,
      example: 'https://berth.example.com',
      problems,
    }),
  };
  if (!isLoopback(options.bind) && options.kubeconfigFile === undefined) {
    problems.push(
      `--bind ${options.bind} opens Berth to others, and the built-in cluster runs apps as plain processes of this machine, which ` +
        'is for one trusting person: name a cluster with --kubeconfig FILE, or keep to 127.0.0.1',
    );
  }
  if (problems.length > 0) throw new SettingsError('berth up', problems);
  return options;
}

export function isLoopback(address: string): boolean {
  return /^127\./.test(address) || address === '::1' || address === 'localhost';
}

function readFlags(parameters: readonly string[], problems: string[]): Flags {
  const { tokens } = parseArgs({
    args: [...parameters],
    options: Object.fromEntries(FLAG_NAMES.map((name) => [name, { type: 'string' as const }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags: Flags = {};
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`"${token.value}" is not understood: berth up takes flags only`);
    if (token.kind !== 'option') continue;
    const name = FLAG_NAMES.find((each) => each === token.name);
    if (!name)
      problems.push(
        `there is no flag ${token.rawName}; the flags are ${FLAG_NAMES.map((each) => `--${each}`).join(', ')}`,
      );
    else if (token.value === undefined || token.value === '') problems.push(`--${name} needs a value`);
    else flags[name] = token.value;
  }
  return flags;
}

function readPort(text: string | undefined, problems: string[]): number {
  if (text === undefined) return 7400;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  problems.push(`--port must be a number between 1 and 65535 (or 0 for any free port), not "${text}"`);
  return 0;
}

function readDomain(text: string, problems: string[]): string {
  const domain = text.toLowerCase().replace(/\.$/, '');
  const labels = domain.split('.');
  const sound = domain.length <= 190 && labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  if (!sound || isIP(domain) !== 0) problems.push(`--domain must be a name such as apps.example.com, not "${text}"`);
  return domain;
}

function readBind(text: string, problems: string[]): string {
  if (text === 'localhost') return '127.0.0.1';
  if (isIP(text) === 0)
    problems.push(`--bind must be an IP address of this machine, such as 127.0.0.1 or 0.0.0.0, not "${text}"`);
  return text;
}

function readPlan(text: string, problems: string[]): PlanName {
  const plan = PLAN_NAMES.find((each) => each === text);
  if (!plan) problems.push(`--plan must be one of ${PLAN_NAMES.join(', ')}, not "${text}"`);
  return plan ?? 'business';
}

/** The value is not repeated in the message: a database address may hold a password. */
function readAddress(
  name: string,
  environment: UpSource['environment'],
  expected: { pattern: RegExp; example: string; problems: string[] },
): string | undefined {
  const value = environment[name] || undefined;
  if (value !== undefined && !expected.pattern.test(value))
    expected.problems.push(`${name} must look like ${expected.example}`);
  return value;
}
