import { type CelFunc, CelScalar, celFunc, celMethod } from '@bufbuild/cel';
import { compareQuantities, isQuantity } from '../../../schema/quantity.ts';

/** The functions Kubernetes adds to CEL, those that are in use; an unknown one fails the definition that names it. */
export const celLibrary: CelFunc[] = [
  celFunc('isQuantity', [CelScalar.STRING], CelScalar.BOOL, (text) => isQuantity(text)),
  // A quantity is kept as its text, which says all there is to it.
  celFunc('quantity', [CelScalar.STRING], CelScalar.STRING, (text) => {
    if (!isQuantity(text)) throw new Error(`${JSON.stringify(text)} is no quantity`);
    return text;
  }),
  celMethod('compareTo', CelScalar.STRING, [CelScalar.STRING], CelScalar.INT, function (other) {
    return BigInt(compareQuantities(String(this), other));
  }),
  celFunc('isURL', [CelScalar.STRING], CelScalar.BOOL, (text) => URL.canParse(text)),
  celMethod('find', CelScalar.STRING, [CelScalar.STRING], CelScalar.STRING, function (pattern) {
    return new RegExp(pattern, 'u').exec(String(this))?.[0] ?? '';
  }),
];
