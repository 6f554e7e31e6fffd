import { access } from './cases/access.ts';
import { apply } from './cases/apply.ts';
import { crud } from './cases/crud.ts';
import { definitions } from './cases/definitions.ts';
import { deletion } from './cases/deletion.ts';
import { discovery } from './cases/discovery.ts';
import { leases } from './cases/leases.ts';
import { limits } from './cases/limits.ts';
import { patch } from './cases/patch.ts';
import { podSecurity } from './cases/pod-security.ts';
import { runningPods } from './cases/running.ts';
import { selectors } from './cases/selectors.ts';
import { status } from './cases/status.ts';
import { validation } from './cases/validation.ts';
import { watch } from './cases/watch.ts';
import { workloads } from './cases/workloads.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** By the name that `--only` takes, in the order of the report. */
export const AREAS: Readonly<Record<string, readonly ConformanceCase[]>> = {
  discovery,
  crud,
  watch,
  apply,
  patch,
  status,
  deletion,
  validation,
  selectors,
  definitions,
  limits,
  'pod-security': podSecurity,
  access,
  leases,
  workloads,
  running: runningPods,
};
