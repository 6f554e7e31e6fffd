import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { optionalText, portText, requiredText } from './environment.ts';

/** What the text of a setting must look like, and what is made of it. Every message ends the sentence "NAME ...". */
export const addressText = z
  .string()
  .default('127.0.0.1')
  .refine((text) => isIP(text) !== 0, { error: 'must be an IP address, such as 127.0.0.1 or 0.0.0.0' });

export const urlText = requiredText.regex(/^https?:\/\/[^/\s]+$/, {
  error: 'must be an address without a path, such as https://berth.example.com',
});

export const httpsUrlText = optionalText.refine((text) => text === undefined || /^https:\/\/[^/\s]+$/.test(text), {
  error: 'must be an https:// address without a path, such as https://berth-internal.berth.svc:8443',
});

/** An address with or without a path. */
export function anyUrlText(example: string) {
  return z.url({ protocol: /^https?$/, error: `must be an address such as ${example}` }).optional();
}

/** 32 random bytes in base64, as `openssl rand -base64 32` prints them. */
export const keyText = requiredText.transform((text, context) => {
  const key = Buffer.from(text, 'base64');
  if (key.length === 32) return key;
  context.addIssue({
    code: 'custom',
    message: 'must be 32 random bytes in base64, as "openssl rand -base64 32" prints them',
  });
  return z.NEVER;
});

export function portOr(fallback: number) {
  return z.string().default(String(fallback)).pipe(portText);
}

/** A boolean that is on unless somebody turns it off. */
export const onUnlessFalse = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .optional()
  .transform((text) => text !== 'false');

export function wholeNumber(options: { fallback: number; least: number; most: number }) {
  const error = `must be a whole number from ${options.least} to ${options.most}`;
  return z
    .string()
    .default(String(options.fallback))
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= options.least && Number(text) <= options.most, {
      error,
    })
    .transform(Number);
}

/** Several, with commas or spaces between them. */
export const listText = optionalText.transform((text) => (text ?? '').split(/[\s,]+/).filter((each) => each !== ''));

/** Addresses and networks, such as `10.0.0.0/8, fd00::/8, 192.0.2.7`. */
export const networksText = listText.superRefine((networks, context) => {
  for (const network of networks.filter((each) => !isNetwork(each))) {
    context.addIssue({
      code: 'custom',
      message: `must be addresses or networks such as 10.0.0.0/8, fd00::/8; "${network}" is neither`,
    });
  }
});

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  if (prefix === undefined) return true;
  if (!/^\d{1,3}$/.test(prefix)) return false;
  try {
    new BlockList().addSubnet(address, Number(prefix), version === 6 ? 'ipv6' : 'ipv4');
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** A JSON object of texts, such as annotations. */
export const textsText = optionalText.transform((text, context): Record<string, string> => {
  if (text === undefined) return {};
  const result = z.record(z.string().min(1), z.string()).safeParse(parseJson(text));
  if (result.success) return result.data;
  context.addIssue({ code: 'custom', message: 'must be a JSON object of texts, such as {"example.com/key": "value"}' });
  return z.NEVER;
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `name=value` pairs with commas between them and values escaped as in an address, as OpenTelemetry writes headers. */
export const headersText = optionalText.transform((text, context): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const pair of (text ?? '').split(',').filter((each) => each.trim() !== '')) {
    const match = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(.*?)\s*$/.exec(pair);
    const value = match && unescapeText(match[2] ?? '');
    if (match?.[1] === undefined || value === undefined || value === null) {
      context.addIssue({ code: 'custom', message: 'must be pairs such as name=value,other=value' });
      return z.NEVER;
    }
    headers[match[1]] = value;
  }
  return headers;
});

function unescapeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/**
 * How TLS of the apps' hosts is done: not at all here, with the certificate that the ingress controller has for every host, with one for
 * each deployment by cert-manager, or with one Secret that every namespace has.
 */
export type IngressTlsSetting = { defaultCertificate: true } | { clusterIssuer: string } | { secretName: string };

const OBJECT_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

export const ingressTlsText = z
  .string()
  .default('none')
  .transform((text, context): IngressTlsSetting | undefined => {
    if (text === 'none') return undefined;
    if (text === 'default-certificate') return { defaultCertificate: true };
    const [from, name = '', ...more] = text.split(':');
    const sound = more.length === 0 && OBJECT_NAME.test(name);
    if (sound && from === 'cluster-issuer') return { clusterIssuer: name };
    if (sound && from === 'secret') return { secretName: name };
    context.addIssue({
      code: 'custom',
      message: 'must be none, default-certificate, cluster-issuer:NAME or secret:NAME',
    });
    return z.NEVER;
  });

/** Of a registry: `registry.example.com/berth`. */
export const imagePrefixText = z
  .string()
  .default('berth.dev')
  .refine((text) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/.test(text), {
    error: 'must be a registry with a path where there is one, such as registry.example.com/berth',
  });

/** Names of namespaces; undefined when the setting is absent. */
export const namespacesText = optionalText
  .transform((text) => text?.split(',').map((name) => name.trim()))
  .refine((names) => names?.every((name) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) ?? true, {
    error: 'must be names of namespaces, with commas between them',
  });

export const namesText = listText
  .refine((names) => names.length > 0, { error: 'is required: the names and addresses that the certificate is for' })
  .refine((names) => names.every((name) => isIP(name) !== 0 || /^[a-z0-9*]([a-z0-9.-]*[a-z0-9])?$/.test(name)), {
    error: 'must be host names or IP addresses, with commas between them',
  });
