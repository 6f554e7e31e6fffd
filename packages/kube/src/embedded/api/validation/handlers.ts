import { banned, type FieldError, required, unsupported, wrong } from '../errors.ts';
import { list } from '../kinds/pod-defaults.ts';
import { negative, validatePortReference } from './values.ts';

type Fields = Record<string, unknown>;

/** What a probe or a hook may do; exactly one of them. A hook may sleep, a probe may ask by gRPC. */
const HANDLERS: Record<string, (action: Fields, path: string, graceSeconds: number) => FieldError[]> = {
  exec: (action, path) => (list(action.command).length === 0 ? [required(`${path}.command`)] : []),
  httpGet: validateGet,
  tcpSocket: (action, path) => validatePortReference(action.port, `${path}.port`),
  grpc: (action, path) => validatePortReference(action.port, `${path}.port`),
  sleep: validateSleep,
};
const SCHEMES = ['HTTP', 'HTTPS'];
const HEADER_NAME = /^[-A-Za-z0-9]+$/;

export function validateProbe(probe: Fields, path: string, kind: string): FieldError[] {
  const errors = validateHandler(probe, path, 0);
  const numbers = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];
  for (const name of numbers) errors.push(...negative(probe[name], `${path}.${name}`));
  if (kind !== 'readinessProbe' && probe.successThreshold !== undefined && probe.successThreshold !== 1) {
    errors.push(wrong(`${path}.successThreshold`, probe.successThreshold, 'must be 1'));
  }
  return errors;
}

export function validateLifecycle(lifecycle: Fields, path: string, graceSeconds: number): FieldError[] {
  return ['postStart', 'preStop'].flatMap((hook) =>
    lifecycle[hook] ? validateHandler(lifecycle[hook] as Fields, `${path}.${hook}`, graceSeconds) : [],
  );
}

function validateHandler(handler: Fields, path: string, graceSeconds: number): FieldError[] {
  const [first, ...more] = Object.keys(HANDLERS).filter((name) => handler[name]);
  if (!first) return [required(path, 'must specify a handler type')];
  return [
    ...HANDLERS[first]!(handler[first] as Fields, `${path}.${first}`, graceSeconds),
    ...more.map((name) => banned(`${path}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

function validateGet(action: Fields, path: string): FieldError[] {
  const errors = action.path ? [] : [required(`${path}.path`)];
  errors.push(...validatePortReference(action.port, `${path}.port`));
  if (!SCHEMES.includes(String(action.scheme))) errors.push(unsupported(`${path}.scheme`, action.scheme, SCHEMES));
  for (const { name } of list(action.httpHeaders)) {
    if (!HEADER_NAME.test(String(name ?? ''))) errors.push(wrong(`${path}.httpHeaders`, name, HEADER_RULE));
  }
  return errors;
}

const HEADER_RULE =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

function validateSleep({ seconds = 0 }: Fields, path: string, graceSeconds: number): FieldError[] {
  if ((seconds as number) >= 0 && (seconds as number) <= graceSeconds) return [];
  const rule = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [wrong(path, seconds, rule)];
}
