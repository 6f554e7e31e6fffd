import type { Container } from '../../../schema/kinds/pod.ts';
import { quantityNumber } from '../../../schema/quantity.ts';

/** In bytes. */
export function memoryLimitOf({ resources }: Container): number | undefined {
  const limit = resources?.limits?.memory;
  return limit === undefined ? undefined : quantityNumber(limit);
}
