/** IPv4 addresses of Services, from one network in CIDR notation. */
interface Network {
  first: number;
  size: number;
}

/** The lowest free address. The first is the API server's own Service. */
export function allocateAddress(cidr: string, taken: Set<string>): string {
  const { first, size } = parse(cidr);
  for (let offset = 1; offset < size - 1; offset++) {
    const address = format(first + offset);
    if (!taken.has(address)) return address;
  }
  throw new Error(`the service network ${cidr} has no free address`);
}

export function inNetwork(address: string, cidr: string): boolean {
  const { first, size } = parse(cidr);
  const number = toNumber(address);
  return number !== undefined && number >= first && number < first + size;
}

function parse(cidr: string): Network {
  const [address = '', bits = ''] = cidr.split('/');
  const number = toNumber(address);
  const prefix = Number(bits);
  if (number === undefined || !Number.isInteger(prefix) || prefix < 8 || prefix > 30) {
    throw new Error(`${JSON.stringify(cidr)} is not an IPv4 network such as 127.32.0.0/12`);
  }
  const size = 2 ** (32 - prefix);
  return { first: Math.floor(number / size) * size, size };
}

function toNumber(address: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address);
  if (!match) return undefined;
  const parts = match.slice(1).map(Number);
  return parts.every((part) => part <= 255) ? parts.reduce((sum, part) => sum * 256 + part, 0) : undefined;
}

function format(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}
