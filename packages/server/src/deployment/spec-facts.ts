import { byteLength } from '@berth/core/environment';
import type { Job } from '@berth/core/job';
import type { Probe, Service } from '@berth/core/service';
import { sha256 } from '@berth/core/sha256';
import type { Exposure } from '@berth/core/user-deployment';

/**
 * What a service or a job is, as fields with a text each: two of them are compared field by field, and the texts are what people
 * read. Whatever differs has another text, also where the text is too long to be shown in full.
 */
export type Facts = ReadonlyMap<string, string>;

type Container = Pick<Service, 'image' | 'command' | 'args' | 'env' | 'files' | 'resources' | 'dependsOn'>;
type Entry = readonly [field: string, text: string | undefined];

const SHOWN_CHARACTERS = 2_000;

export function serviceFacts(service: Service): Facts {
  const { ports = [], probes = {}, volumes = [] } = service;
  return facts([
    ...containerEntries(service),
    ['replicas', String(service.replicas ?? 1)],
    ...ports.map(({ name, port }): Entry => [`port ${name}`, String(port)]),
    ...Object.entries(probes).map(([kind, probe]): Entry => [`${kind} probe`, probe && probeInWords(probe)]),
    ...volumes.map(({ name, mountPath, size }): Entry => [`volume ${name}`, `${size} at ${mountPath}`]),
    ['time to become ready', inSeconds(service.readyWithinSeconds)],
    ['time to stop', inSeconds(service.stopGraceSeconds)],
    ['restarted', service.restartedAt],
  ]);
}

export function jobFacts(job: Job): Facts {
  return facts([
    ...containerEntries(job),
    ['schedule', job.schedule],
    ['time zone', job.timeZone],
    ['time limit', inSeconds(job.timeoutSeconds)],
    ['retries', job.retries === undefined ? undefined : String(job.retries)],
  ]);
}

/** Where an address leads: `web:http, /api to api:http`. */
export function exposureInWords({ service, port, paths = [] }: Exposure): string {
  return [`${service}:${port}`, ...paths.map((each) => `${each.path} to ${each.service}:${each.port}`)].join(', ');
}

function containerEntries({ image, command, args, env = [], files = [], resources, dependsOn }: Container): Entry[] {
  const { requests = {}, limits = {} } = resources ?? {};
  return [
    ['image', image],
    ['command', command && commandLine(command)],
    ['arguments', args && commandLine(args)],
    ...env.map(({ name, value, secretKey }): Entry => [`environment ${name}`, contentOf(value, secretKey)]),
    ...files.map(({ path, content, secretKey }): Entry => [`file ${path}`, contentOf(content, secretKey)]),
    ['requested CPU', requests.cpu],
    ['requested memory', requests.memory],
    ['CPU limit', limits.cpu],
    ['memory limit', limits.memory],
    ['waits for', dependsOn?.length ? dependsOn.join(', ') : undefined],
  ];
}

export function probeInWords(probe: Probe): string {
  const { periodSeconds, timeoutSeconds, initialDelaySeconds, failureThreshold } = probe;
  const details = [
    ...(initialDelaySeconds === undefined ? [] : [`after ${initialDelaySeconds} s`]),
    ...(periodSeconds === undefined ? [] : [`every ${periodSeconds} s`]),
    ...(timeoutSeconds === undefined ? [] : [`at most ${timeoutSeconds} s`]),
    ...(failureThreshold === undefined
      ? []
      : [`${failureThreshold} ${failureThreshold === 1 ? 'failure' : 'failures'}`]),
  ];
  return [probeAction(probe), ...details].join(', ');
}

function probeAction({ http, tcp, exec, grpc }: Probe): string {
  if (http) return `GET ${http.path} on port ${http.port}`;
  if (tcp) return `a connection to port ${tcp.port}`;
  if (exec) return `the command ${commandLine(exec.command)}`;
  return `a gRPC health check${grpc?.service ? ` of ${grpc.service}` : ''} on port ${grpc?.port}`;
}

/** Text in full while it is short; else its beginning, with its size and what tells it from another of the same. */
export function shown(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  const head = text.slice(0, SHOWN_CHARACTERS).toWellFormed();
  return `${head}… (${byteLength(text)} bytes, SHA-256 ${sha256(text).slice(0, 12)})`;
}

function contentOf(text: string | undefined, secretKey: string | undefined): string {
  return secretKey === undefined ? shown(text ?? '') : `the secret ${secretKey}`;
}

function commandLine(words: readonly string[]): string {
  return shown(words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' '));
}

function inSeconds(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : `${seconds} s`;
}

function facts(entries: readonly Entry[]): Facts {
  return new Map(entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}
