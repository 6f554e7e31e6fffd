import { z } from 'zod';

/** Kubernetes quantities as Berth uses them: CPU in cores (`500m`, `2`), memory and storage in bytes (`128Mi`, `1Gi`). */
const PATTERN = /^(\d+(?:\.\d+)?)(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;
const FACTORS: Record<string, number> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

export const cpuSchema = z
  .string()
  .regex(/^(\d+m|\d+(\.\d{1,3})?)$/, { error: 'write CPU as cores or thousandths: "0.5" or "500m"' });
export const bytesSchema = z
  .string()
  .regex(/^\d+(\.\d+)?(k|M|G|T|Ki|Mi|Gi|Ti)?$/, { error: 'write a size with its unit: "128Mi" or "1Gi"' });

/** Cores or bytes as a number. Throws a RangeError for what is no quantity. */
export function quantity(text: string): number {
  const match = PATTERN.exec(text);
  if (!match) throw new RangeError(`"${text}" is not a quantity such as 500m, 128Mi or 2`);
  return Number(match[1]) * (match[2] ? (FACTORS[match[2]] ?? 1) : 1);
}

/** For people: cores with at most two decimals. */
export function formatCores(cores: number): string {
  return String(Math.round(cores * 100) / 100);
}

/** For people: MiB below one GiB, else GiB. */
export function formatBytes(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  if (mebibytes < 1024) return `${Math.round(mebibytes)} MiB`;
  return `${Math.round((mebibytes / 1024) * 10) / 10} GiB`;
}
