import { z } from 'zod';

/** Pieces of the chart's values that several of its parts share. What Kubernetes checks itself is let through as it is. */
export const text = (what: string, fallback = '') => z.string().default(fallback).describe(what);
export const flag = (what: string, fallback: boolean) => z.boolean().default(fallback).describe(what);
export const choice = <const T extends readonly [string, ...string[]]>(what: string, [first, ...rest]: T) =>
  z
    .enum([first, ...rest])
    .default(first)
    .describe(what);
export const count = (what: string, fallback: number) => z.int().min(0).default(fallback).describe(what);
/** Names with texts: labels, annotations. */
export const texts = (what: string) => z.record(z.string(), z.string()).default({}).describe(what);
/** An object of Kubernetes. */
export const anything = (what: string, fallback: Record<string, unknown> = {}) =>
  z.record(z.string(), z.unknown()).default(fallback).describe(what);
/** A list of objects of Kubernetes. */
export const objects = (what: string, fallback: Record<string, unknown>[] = []) =>
  z.array(z.record(z.string(), z.unknown())).default(fallback).describe(what);
export const list = (what: string) => z.array(z.string()).default([]).describe(what);
export const group = <T extends z.ZodRawShape>(what: string, shape: T) => z.strictObject(shape).describe(what);

/** A key of a Secret that stands in the release's namespace before the chart is installed. */
export const secretKey = (what: string, key: string) =>
  group(what, {
    name: text('Its name; empty: the chart makes a Secret of its own.'),
    key: text('The key in it.', key),
  });

/** What every workload of the chart takes for its pods. */
export const podShape = {
  labels: texts('More labels of its pods.'),
  annotations: texts('More annotations of its pods.'),
  env: objects('More variables of its container, as Kubernetes writes them.'),
  initContainers: objects('Containers before it.'),
  extraContainers: objects('Containers beside it.'),
  volumes: objects('More volumes of its pods.'),
  volumeMounts: objects('More mounts of its container.'),
  nodeSelector: texts('Nodes that it may run on.'),
  tolerations: objects('Taints that it bears.'),
  affinity: anything('Where it likes to run.'),
  topologySpreadConstraints: objects('How it spreads; empty: over nodes and zones, as well as they allow.'),
  priorityClassName: text('Its priority class.'),
};

export const resources = (cpu: string, memory: string, limit: string) =>
  anything('What its container asks for and may take.', { requests: { cpu, memory }, limits: { memory: limit } });

export const disruptionBudget = group(
  'How much of it a drain of nodes may take away. Only with two replicas or more.',
  {
    enabled: flag('Whether there is one.', true),
    maxUnavailable: count('So many pods at a time.', 1),
  },
);
