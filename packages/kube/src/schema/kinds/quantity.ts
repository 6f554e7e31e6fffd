const FACTORS: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A Kubernetes quantity as a number of its base unit (cores, bytes); undefined for what is none. */
export function parseQuantity(text: string): number | undefined {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei))?$/.exec(text);
  if (!match) return undefined;
  const [, number, exponent, suffix] = match;
  return Number(number) * (exponent !== undefined ? 10 ** Number(exponent) : (FACTORS[suffix ?? ''] ?? 1));
}
