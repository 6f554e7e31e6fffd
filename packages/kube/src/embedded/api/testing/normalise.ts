/**
 * Takes out of an answer what differs from run to run (identities, versions, times, addresses), what is only prose (descriptions of
 * columns) and what depends on the order of Go's maps: causes are sorted, a message that only lists them is dropped.
 */
const VOLATILE = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'time',
  'deletionTimestamp',
  'lastTransitionTime',
  'lastPhaseTransitionTime',
  'description',
]);

export function normalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalise);
  if (typeof value === 'string') return scrub(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isListOfCauses(value)) return normaliseCauses(value);
  const entries = Object.entries(value)
    .filter(([key, item]) => !VOLATILE.has(key) && item !== undefined)
    .map(([key, item]) => [key, key === 'managedFields' ? sorted(normalise(item)) : normalise(item)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries);
}

function scrub(text: string): string {
  // A Go diff of internal types ends the messages about immutable specs.
  return text
    .replace(/\n@@[\s\S]*$/, '')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\b\d+(ms|s)\b/g, 'DURATION');
}

interface Failure {
  message: string;
  details: { causes: { message?: string }[] };
}

function isListOfCauses(value: object): value is Failure {
  const { details, kind } = value as { details?: { causes?: unknown[] }; kind?: string };
  return kind === 'Status' && Array.isArray(details?.causes) && details.causes.length > 0;
}

function normaliseCauses({ message, details, ...rest }: Failure): unknown {
  const causes = [...new Set(details.causes.map((cause) => JSON.stringify(normalise(cause))))].sort();
  const alone = causes.length === 1 ? { message: scrub(message) } : {};
  return normalise({
    ...rest,
    ...alone,
    details: { ...details, causes: undefined },
    causes: causes.map((cause) => JSON.parse(cause)),
  });
}

/** Entries of the same second have no order of their own. */
function sorted(value: unknown): unknown {
  return Array.isArray(value)
    ? [...value].sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
    : value;
}
