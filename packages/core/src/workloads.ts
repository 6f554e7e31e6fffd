import { byteLength, MAX_ENVIRONMENT_TOTAL_BYTES } from './environment.ts';
import { isScheduled, type Job } from './job.ts';
import type { Service } from './service.ts';

export interface Problem {
  /** From where `services` and `jobs` are. */
  path: (string | number)[];
  message: string;
}

interface Workloads {
  services: readonly Service[];
  jobs?: readonly Job[] | undefined;
}

type Workload = Pick<Service, 'name' | 'dependsOn' | 'env'>;

/** Rules across the services and jobs of one deployment. */
export function workloadProblems({ services, jobs = [] }: Workloads): Problem[] {
  const all: { path: (string | number)[]; workload: Workload }[] = [
    ...services.map((workload, index) => ({ path: ['services', index], workload })),
    ...jobs.map((workload, index) => ({ path: ['jobs', index], workload })),
  ];
  const problems: Problem[] = [];
  const names = new Set(all.map(({ workload }) => workload.name));
  const scheduled = new Set(jobs.filter(isScheduled).map(({ name }) => name));
  const seen = new Set<string>();
  for (const { path, workload } of all) {
    if (seen.has(workload.name)) {
      problems.push({ path: [...path, 'name'], message: `"${workload.name}" is there twice` });
    }
    seen.add(workload.name);
    (workload.dependsOn ?? []).forEach((name, at) => {
      if (!names.has(name)) {
        problems.push({ path: [...path, 'dependsOn', at], message: `there is no service or job "${name}"` });
      } else if (scheduled.has(name)) {
        problems.push({
          path: [...path, 'dependsOn', at],
          message: `"${name}" runs by its schedule, so nothing can wait for it`,
        });
      }
    });
  }
  const cycle = dependencyCycle(all.map(({ workload }) => workload));
  if (cycle) problems.push({ path: ['services'], message: `they wait for each other: ${cycle.join(' -> ')}` });
  const bytes = all
    .flatMap(({ workload }) => workload.env ?? [])
    .reduce((total, variable) => total + byteLength(variable.name) + byteLength(variable.value ?? '') + 2, 0);
  if (bytes > MAX_ENVIRONMENT_TOTAL_BYTES) {
    problems.push({
      path: ['services'],
      message: `the environment is ${bytes} bytes in total; at most ${MAX_ENVIRONMENT_TOTAL_BYTES} fit; move large values to files or secrets`,
    });
  }
  return problems;
}

function dependencyCycle(workloads: readonly Workload[]): string[] | undefined {
  const byName = new Map(workloads.map((workload) => [workload.name, workload]));
  const done = new Set<string>();
  const visit = (name: string, path: string[]): string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const next of byName.get(name)?.dependsOn ?? []) {
      const cycle = visit(next, [...path, name]);
      if (cycle) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const { name } of workloads) {
    const cycle = visit(name, []);
    if (cycle) return cycle;
  }
  return undefined;
}
