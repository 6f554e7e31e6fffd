import type { Probe } from '../../../schema/kinds/pod.ts';

/** How a probe stands after some results. `passing` is undefined until the first verdict. */
export interface ProbeState {
  passing: boolean | undefined;
  successes: number;
  failures: number;
}

export const NO_RESULT: ProbeState = { passing: undefined, successes: 0, failures: 0 };

/** One more result: a verdict changes only after as many equal results in a row as the thresholds say. */
export function afterResult(state: ProbeState, success: boolean, probe: Probe): ProbeState {
  const successes = success ? state.successes + 1 : 0;
  const failures = success ? 0 : state.failures + 1;
  if (success && successes >= (probe.successThreshold ?? 1)) return { passing: true, successes, failures };
  if (!success && failures >= (probe.failureThreshold ?? 3)) return { passing: false, successes, failures };
  return { passing: state.passing, successes, failures };
}

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

export const PROBE_FIELDS = {
  startup: 'startupProbe',
  liveness: 'livenessProbe',
  readiness: 'readinessProbe',
} as const;
