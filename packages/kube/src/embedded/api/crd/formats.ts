import { isIP, isIPv4, isIPv6 } from 'node:net';

/** String formats that a real server checks; a format it does not know is a remark, not a rule. */
const FORMATS: Record<string, (value: string) => boolean> = {
  'date-time': (value) =>
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value)),
  datetime: (value) => FORMATS['date-time']!(value),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)),
  duration: (value) => /^([+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h|d|w))+$|^0$/.test(value.replaceAll(' ', '')),
  uuid: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
  uuid4: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(value),
  email: (value) => /^[^\s@<>]+@[^\s@<>]+$/.test(value),
  hostname: (value) =>
    value.length <= 253 &&
    /^[a-zA-Z0-9]([-a-zA-Z0-9]{0,62}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]{0,62}[a-zA-Z0-9])?)*$/.test(value),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: (value) => /^[^/]+\/\d{1,3}$/.test(value) && isIP(value.split('/')[0]!) !== 0,
  uri: (value) => URL.canParse(value),
  byte: (value) => value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
  password: () => true,
  mac: (value) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(value),
};

export function hasFormat(format: string, value: string): boolean {
  return Object.hasOwn(FORMATS, format) ? FORMATS[format]!(value) : true;
}
