import { isKubeError, isTooLarge, KubeError } from '@berth/kube/schema/status';
import { NamespaceNotPrepared } from './prepared-namespace.ts';

/** What a failed attempt to apply means: when to try again, and what to tell people. */
export interface ApplyFailure {
  delayMs: number;
  /** Counted so that a failure worth telling at once is told at once. */
  attempts: number;
  /** For people: what is wrong and what to do. */
  message: string;
  /** The API server understood and refused: the same again soon would be refused again. */
  refused: boolean;
  /** Somebody else wrote at the same moment: everyday, and no matter for a log. */
  conflict: boolean;
}

const CONFLICT_DELAY_MS = 100;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 60_000;
/** Somebody may raise a quota or free a name; nothing tells us. */
const REFUSED_DELAY_MS = 120_000;

export function applyFailure(
  error: unknown,
  { attempts, random, shownFrom }: { attempts: number; random(): number; shownFrom: number },
): ApplyFailure {
  const next = attempts + 1;
  const jitter = 0.5 + random();
  const refusal = refusalOf(error);
  if (refusal) {
    return {
      delayMs: REFUSED_DELAY_MS * jitter,
      attempts: Math.max(next, shownFrom),
      message: refusal,
      refused: true,
      conflict: false,
    };
  }
  const message = `The cluster has not taken this change yet, and Berth keeps trying: ${textOf(error)}`;
  const conflict = isKubeError(error, 'Conflict');
  const first = conflict ? CONFLICT_DELAY_MS : FIRST_DELAY_MS;
  const delayMs = Math.min(first * 2 ** attempts, LONGEST_DELAY_MS) * jitter;
  return { delayMs, attempts: next, message, refused: false, conflict };
}

function refusalOf(error: unknown): string | undefined {
  if (error instanceof NamespaceNotPrepared) return error.message;
  if (!(error instanceof KubeError)) return undefined;
  if (isTooLarge(error)) {
    return `The deployment is too large for the cluster: ${error.message}. Shorten its files and values.`;
  }
  if (error.code === 422) return `The cluster refuses this deployment: ${error.message}. Change the named fields.`;
  if (error.code !== 403) return undefined;
  // A namespace that is being removed refuses everything for a while.
  if (/being terminated/.test(error.message)) return undefined;
  if (/quota/.test(error.message)) {
    return `The team's quota in the cluster is used up: ${error.message}. Delete something, or ask an administrator of the platform for a larger plan.`;
  }
  return `The cluster does not allow Berth to do this: ${error.message}. Ask whoever runs the cluster.`;
}

/** Where a cluster that is away would be is nothing for whoever deploys on it. */
function textOf(error: unknown): string {
  if (isKubeError(error, 'ServiceUnavailable')) return 'the cluster does not answer just now';
  return error instanceof Error ? error.message : String(error);
}
