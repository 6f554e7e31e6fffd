import { firstOf, sentence, type Words } from './words.ts';

/** Why a claim for a volume gets none. */
export function claimWords({
  className,
  warning,
}: {
  className: string | undefined;
  warning: string | undefined;
}): string {
  // An empty name says that no class is wanted.
  if (!className && warning === undefined) {
    return 'The cluster makes no volumes by itself: none of its storage classes is the default. Whoever runs the cluster has to set one.';
  }
  if (warning === undefined)
    return `It is made by the storage class "${className}"; if it stays away, ask whoever runs the cluster.`;
  return firstOf(FAILURES, warning) ?? `It cannot be made: ${sentence(warning)}`;
}

const FAILURES: Words = [
  [
    /storageclass\S* "([^"]+)" not found/,
    ([, name]) => `The cluster has no storage class "${name}". Whoever runs the cluster has to make it.`,
  ],
];
