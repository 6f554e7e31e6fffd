import type { LabelSelector } from '../label-selector.ts';
import type { KubeObject } from '../object.ts';
import type { Condition, PodTemplate } from './workload.ts';

export interface JobSpec {
  parallelism?: number;
  /** Absent: one success is enough, whichever pod it is of. */
  completions?: number;
  backoffLimit?: number;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  suspend?: boolean;
  selector?: LabelSelector;
  manualSelector?: boolean;
  completionMode?: string;
  podReplacementPolicy?: string;
  managedBy?: string;
  template: PodTemplate;
}

export interface JobStatus {
  startTime?: string;
  completionTime?: string;
  active?: number;
  ready?: number;
  terminating?: number;
  succeeded?: number;
  failed?: number;
  uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
  conditions?: Condition[];
}

export interface Job extends KubeObject {
  spec: JobSpec;
  status?: JobStatus;
}

export interface CronJob extends KubeObject {
  spec: {
    schedule: string;
    timeZone?: string;
    concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
    startingDeadlineSeconds?: number;
    suspend?: boolean;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
    jobTemplate: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec: JobSpec;
    };
  };
  status?: {
    active?: { apiVersion?: string; kind?: string; name?: string; namespace?: string; uid?: string }[];
    lastScheduleTime?: string;
    lastSuccessfulTime?: string;
  };
}

export type JobOutcome = 'Complete' | 'Failed';

/** How a Job ended; undefined while it may still do something. */
export function jobOutcome(job: Job): JobOutcome | undefined {
  return (['Complete', 'Failed'] as const).find((type) => hasCondition(job.status?.conditions, type));
}

export function hasCondition(conditions: Condition[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}
