import { type CelFunc, CelScalar, celFunc, celMethod } from '@bufbuild/cel';
import { isQuantity } from '../../../schema/quantity.ts';

/** The functions Kubernetes adds to CEL, those that are in use; an unknown one fails the definition that names it. */
export const celLibrary: CelFunc[] = [
  celFunc('isQuantity', [CelScalar.STRING], CelScalar.BOOL, (text) => isQuantity(text)),
  celFunc('isURL', [CelScalar.STRING], CelScalar.BOOL, (text) => URL.canParse(text)),
  celMethod('find', CelScalar.STRING, [CelScalar.STRING], CelScalar.STRING, function (pattern) {
    return new RegExp(pattern, 'u').exec(String(this))?.[0] ?? '';
  }),
];
