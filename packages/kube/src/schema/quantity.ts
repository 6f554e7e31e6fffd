/**
 * Kubernetes quantities: `250m`, `1.5Gi`, `1e3`. Exact: held as a whole number of nanos, the finest that the format allows
 * (finer values are rounded up, as the format demands).
 */
const PATTERN = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$/;
const NANOS = 1_000_000_000n;
const DECIMAL: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Record<string, bigint> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
const BINARY_ORDER = ['Ei', 'Pi', 'Ti', 'Gi', 'Mi', 'Ki'];
const DECIMAL_ORDER = ['E', 'P', 'T', 'G', 'M', 'k', '', 'm', 'u', 'n'];
/** Beyond this nothing real is meant; it bounds the work an exponent can ask for. */
const LARGEST_EXPONENT = 30;

export function isQuantity(value: unknown): value is string | number {
  return parseNanos(value) !== undefined;
}

/** Nanos. Throws on what is no quantity. */
export function quantityNanos(value: unknown): bigint {
  const nanos = parseNanos(value);
  if (nanos === undefined) throw new Error(`${JSON.stringify(value)} is not a quantity such as 250m, 1.5Gi or 2`);
  return nanos;
}

/** As a plain number, for arithmetic that may lose precision: bytes, cores. */
export function quantityNumber(value: unknown): number {
  return Number(quantityNanos(value)) / 1e9;
}

export function compareQuantities(left: unknown, right: unknown): number {
  const difference = quantityNanos(left) - quantityNanos(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** In the format of `like`, whose suffix says whether powers of two or of ten are meant. */
export function formatQuantity(nanos: bigint, like: unknown = ''): string {
  if (nanos === 0n) return '0';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  const exponent = /[eE][+-]?\d+$/.test(String(like)) && !/E$/.test(String(like));
  const binary = /i$/.test(String(like)) ? formatBinary(size) : undefined;
  if (binary !== undefined) return sign + binary;
  for (const suffix of DECIMAL_ORDER) {
    const unit = 10n ** BigInt(DECIMAL[suffix]! + 9);
    if (size % unit !== 0n) continue;
    const power = DECIMAL[suffix]!;
    return `${sign}${size / unit}${exponent ? (power === 0 ? '' : `e${power}`) : suffix}`;
  }
  return `${sign}${size}n`;
}

/** Undefined for less than 1Ki, and for what is no whole number. */
function formatBinary(size: bigint): string | undefined {
  if (size < 1024n * NANOS || size % NANOS !== 0n) return undefined;
  const suffix = BINARY_ORDER.find((each) => size % (NANOS << BINARY[each]!) === 0n);
  return suffix === undefined ? String(size / NANOS) : `${size / (NANOS << BINARY[suffix]!)}${suffix}`;
}

/** The one spelling the API server gives back: `1000m` becomes `1`, `1024Mi` becomes `1Gi`. */
export function canonicalQuantity(value: string | number): string {
  return formatQuantity(quantityNanos(value), value);
}

function parseNanos(value: unknown): bigint | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const match = PATTERN.exec(String(value));
  if (!match) return undefined;
  const [, sign, digits, suffix = ''] = match;
  const [whole = '', fraction = ''] = digits!.split('.');
  const mantissa = BigInt(`${whole}${fraction}` || '0');
  const binary = BINARY[suffix];
  const power = (/^[eE]./.test(suffix) ? Number(suffix.slice(1)) : (DECIMAL[suffix] ?? 0)) - fraction.length + 9;
  if (Math.abs(power) > LARGEST_EXPONENT + 9 + fraction.length) return undefined;
  const size = scale(binary === undefined ? mantissa : mantissa << binary, power);
  return sign === '-' ? -size : size;
}

/** Times a power of ten, rounded up. */
function scale(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (value + divisor - 1n) / divisor;
}
