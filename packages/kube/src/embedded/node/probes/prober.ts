import type { Clock } from '../../../client/clock.ts';
import type { Container, Probe } from '../../../schema/kinds/pod.ts';
import { afterResult, NO_RESULT, PROBE_FIELDS, type ProbeKind, type ProbeState } from './probe-state.ts';
import { type HandlerResult, type HandlerTarget, runHandler } from './run-handler.ts';

/**
 * Probes one running container until it ends. Until the startup probe has passed there is no other; then liveness and readiness
 * run side by side, each with its own period.
 *
 * What has not passed yet is also looked at between its probes, soon at first and then less often: a program that listens after 80 ms is
 * not kept from its users for a whole period. Such a look counts only when it succeeds, so failures, their number and
 * their events are those of the declared probes.
 */
export interface Prober {
  started(): boolean;
  ready(): boolean;
  stop(): void;
}

export interface ProberOptions {
  container: Container;
  target: HandlerTarget;
  clock: Clock;
  /** Since when the container runs: initial delays count from there, after an adoption too. */
  startedAt: number;
  /** What an earlier node knew: an adopted container does not turn unready for the length of a probe. */
  assume: { started: boolean; ready: boolean };
  onChange: () => void;
  /** A probe failed; `verdict` when that makes the container dead. */
  onFailure: (failure: { kind: ProbeKind; message: string; verdict: boolean }) => void;
}

const FIRST_PAUSE_MS = 50;

export function startProber(options: ProberOptions): Prober {
  const { container, clock } = options;
  const states: Record<ProbeKind, ProbeState> = {
    startup: options.assume.started ? { ...NO_RESULT, passing: true } : NO_RESULT,
    liveness: NO_RESULT,
    readiness: options.assume.ready ? { ...NO_RESULT, passing: true } : NO_RESULT,
  };
  const timers = new Map<ProbeKind, () => void>();
  /** When the next declared probe is due, and how long until the next look between. */
  const due = new Map<ProbeKind, number>();
  const pauses = new Map<ProbeKind, number>();
  const ending = new AbortController();
  let stopped = false;
  /** Once dead it is being stopped: more failures would be more kills. */
  let condemned = false;

  const probeOf = (kind: ProbeKind): Probe | undefined => container[PROBE_FIELDS[kind]];
  const started = (): boolean => !probeOf('startup') || states.startup.passing === true;

  /** `counts` when it is a declared one, and not a look between. */
  async function probe(kind: ProbeKind, counts: boolean): Promise<void> {
    const declared = probeOf(kind);
    if (stopped || !declared) return;
    const result = await runHandler(options.target, declared, {
      timeoutMs: (declared.timeoutSeconds ?? 1) * 1000,
      signal: ending.signal,
    });
    if (stopped) return;
    if (counts) due.set(kind, clock.now() + (declared.periodSeconds ?? 10) * 1000);
    if (counts || result.success) record(kind, declared, result);
    else waitForNext(kind, declared);
  }

  function record(kind: ProbeKind, declared: Probe, result: HandlerResult): void {
    const before = states[kind];
    states[kind] = afterResult(before, result.success, declared);
    const dead = kind !== 'readiness' && states[kind].passing === false && !condemned;
    if (dead) condemned = true;
    if (!result.success) options.onFailure({ kind, message: result.message, verdict: dead });
    if (kind === 'startup' && started()) scheduleRest();
    else waitForNext(kind, declared);
    if (before.passing !== states[kind].passing) options.onChange();
  }

  function waitForNext(kind: ProbeKind, declared: Probe): void {
    const untilDue = Math.max(0, (due.get(kind) ?? 0) - clock.now());
    const waits = states[kind].passing === undefined && mayLookBetween(kind, declared);
    const pause = pauses.get(kind) ?? FIRST_PAUSE_MS;
    if (waits) pauses.set(kind, pause * 2);
    const between = waits && pause < untilDue;
    schedule(kind, between ? pause : untilDue, !between);
  }

  function schedule(kind: ProbeKind, afterMs: number, counts: boolean): void {
    if (stopped || condemned || !probeOf(kind)) return;
    timers.set(
      kind,
      clock.after(afterMs, () => void probe(kind, counts)),
    );
  }

  function scheduleFirst(kind: ProbeKind): void {
    const first = options.startedAt + (probeOf(kind)?.initialDelaySeconds ?? 0) * 1000;
    schedule(kind, Math.max(0, first - clock.now()), true);
  }

  function scheduleRest(): void {
    scheduleFirst('liveness');
    scheduleFirst('readiness');
  }

  if (started()) scheduleRest();
  else scheduleFirst('startup');

  return {
    started,
    ready: () => started() && !condemned && (!probeOf('readiness') || states.readiness.passing === true),
    stop() {
      stopped = true;
      ending.abort();
      for (const cancel of timers.values()) cancel();
    },
  };
}

/** Not for liveness, where a success says nothing new, nor for programs that would be started for it, nor where several in a row count. */
function mayLookBetween(kind: ProbeKind, { exec, successThreshold = 1 }: Probe): boolean {
  return kind !== 'liveness' && exec === undefined && successThreshold === 1;
}
