import { type FieldError, wrong } from '../../errors.ts';
import { baselineChecks } from './baseline.ts';
import type { CheckedPod, PodSecurityCheck, Violation } from './pod-fields.ts';
import { restrictedChecks } from './restricted.ts';

/** What a namespace asks of its pods, from its labels `pod-security.kubernetes.io/*`. */
export interface Policy {
  enforce: PolicyLevel;
  audit: PolicyLevel;
  warn: PolicyLevel;
}

export interface PolicyLevel {
  level: Level;
  /** `latest` or `v1.N`. */
  version: string;
}

type Level = (typeof LEVELS)[number];

/** From the freest to the strictest. */
const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
const PREFIX = 'pod-security.kubernetes.io/';
const PRIVILEGED: PolicyLevel = { level: 'privileged', version: 'latest' };

/** A label that cannot be read closes what is enforced and opens what is only told, as in a real server. */
export function readPolicy(labels: Record<string, string> = {}): { policy: Policy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const read = (mode: keyof Policy, fallback: Level): PolicyLevel => ({
    level: readLevel(labels, PREFIX + mode, { errors, fallback }),
    version: readVersion(labels, `${PREFIX + mode}-version`, errors),
  });
  const policy = {
    enforce: read('enforce', 'restricted'),
    audit: read('audit', 'privileged'),
    warn: read('warn', 'privileged'),
  };
  const enforced = labels[`${PREFIX}enforce`];
  // Whoever is refused pods is warned of what makes them, unless the labels say otherwise.
  if (labels[`${PREFIX}warn`] === undefined && enforced === policy.enforce.level && enforced !== 'privileged') {
    policy.warn.level = policy.enforce.level;
    if (labels[`${PREFIX}warn-version`] === undefined) policy.warn.version = policy.enforce.version;
  }
  return { policy, errors };
}

export function isStricter(left: PolicyLevel, right: PolicyLevel): boolean {
  return LEVELS.indexOf(left.level) > LEVELS.indexOf(right.level);
}

export function samePolicyLevel(left: PolicyLevel, right: PolicyLevel): boolean {
  return left.level === right.level && left.version === right.version;
}

export function policyText({ level, version }: PolicyLevel): string {
  return `${level}:${version}`;
}

/** Everything that is wrong with a pod at this level. */
export function violationsOf(pod: CheckedPod, { level, version }: PolicyLevel): Violation[] {
  const minor = version === 'latest' ? Number.POSITIVE_INFINITY : Number(version.slice('v1.'.length));
  return checksFor(level, minor).flatMap(({ check }) => check(pod, minor) ?? []);
}

export function violationsText(violations: Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}

function checksFor(level: Level, minor: number): PodSecurityCheck[] {
  const applies = ({ since = 0 }: PodSecurityCheck) => minor >= since;
  if (level === 'privileged') return [];
  if (level === 'baseline') return baselineChecks.filter(applies);
  const restricted = restrictedChecks.filter(applies);
  const overridden = new Set(restricted.map(({ overrides }) => overrides));
  return [...baselineChecks.filter((check) => applies(check) && !overridden.has(check.name)), ...restricted];
}

function readLevel(
  labels: Record<string, string>,
  label: string,
  { errors, fallback }: { errors: FieldError[]; fallback: Level },
): Level {
  const value = labels[label];
  if (value === undefined) return PRIVILEGED.level;
  const level = LEVELS.find((known) => known === value);
  if (level) return level;
  errors.push(wrong(`metadata.labels[${label}]`, value, `must be one of ${LEVELS.join(', ')}`));
  return fallback;
}

function readVersion(labels: Record<string, string>, label: string, errors: FieldError[]): string {
  const value = labels[label];
  if (value === undefined) return PRIVILEGED.version;
  if (value === 'latest' || /^v1\.(0|[1-9][0-9]*)$/.test(value)) return value;
  errors.push(wrong(`metadata.labels[${label}]`, value, 'must be "latest" or "v1.x"'));
  return PRIVILEGED.version;
}
