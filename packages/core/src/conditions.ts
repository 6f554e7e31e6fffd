import { z } from 'zod';

/** A Kubernetes condition: an adjective that is true, false or unknown, with one CamelCase reason and words for people. */
export const conditionSchema = z.strictObject({
  type: z.string().min(1).max(316).describe('What it is about.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
  reason: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
    .describe('Why, in a word for programs.'),
  message: z.string().max(32768).describe('Why, in a sentence for people.'),
  observedGeneration: z.int().min(0).optional().describe('The generation of the spec that it speaks of.'),
  lastTransitionTime: z.iso.datetime().describe('When the status last changed.'),
});
export type Condition = z.infer<typeof conditionSchema>;
export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/** Sets one condition; the transition time moves only when the status does. Returns a new list, in the old order. */
export function setCondition(conditions: readonly Condition[], next: NewCondition, now: Date): Condition[] {
  const before = findCondition(conditions, next.type);
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : now.toISOString();
  const condition: Condition = { ...next, lastTransitionTime };
  return before ? conditions.map((each) => (each.type === next.type ? condition : each)) : [...conditions, condition];
}
