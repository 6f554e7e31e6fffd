import { BerthError } from './errors.ts';

/** Public host names: one spelling, so that a claim means the same for everybody. Works in the browser and in Node. */
export interface HostRules {
  /** The domain of apps: `localhost` or `apps.example.com`. A single label is completed with it. */
  domain: string;
  /** Hosts that belong to the platform itself. */
  reserved: readonly string[];
}

/** Returns the one spelling of a host (lower case, punycode, no trailing dot) or throws `invalid_input` at `host`. */
export function normaliseHost(input: string, rules: HostRules): string {
  const text = input.trim().replace(/\.$/, '');
  if (text.includes('*')) throw refused(input, 'a wildcard cannot be claimed; name one host');
  const full = text.includes('.') ? text : `${text}.${rules.domain}`;
  const host = toAscii(full);
  if (host === undefined) throw refused(input, 'is not a host name such as shop or shop.example.com');
  if (rules.reserved.includes(host) || host === rules.domain) throw refused(input, 'belongs to the platform itself');
  return host;
}

/** The part before the platform's domain, or the whole host when it is a custom one. */
export function hostLabel(host: string, domain: string): string {
  return host.endsWith(`.${domain}`) ? host.slice(0, -domain.length - 1) : host;
}

function toAscii(text: string): string | undefined {
  if (/[\s/@:?#[\]\\]/.test(text)) return undefined;
  let host: string;
  try {
    host = new URL(`http://${text}`).hostname;
  } catch {
    return undefined;
  }
  const labels = host.split('.');
  const valid =
    host.length <= 253 &&
    labels.every((label) => label.length <= 63 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '');
  return valid ? host : undefined;
}

function refused(input: string, why: string): BerthError {
  const message = `"${input}" ${why}`;
  return new BerthError('invalid_input', `The address is not right: ${message}`, {
    fields: [{ path: 'host', message: why }],
  });
}
