import type { KubeObject } from '../../schema/object.ts';
import type { Column, Kind } from './kind.ts';

/** The answer to `Accept: application/json;as=Table`: what `kubectl get` prints. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export function tableOf(
  kind: Kind,
  objects: KubeObject[],
  options: { now: number; include: IncludeObject; metadata: Record<string, unknown>; headers: boolean },
): Record<string, unknown> {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.metadata,
    columnDefinitions: options.headers ? kind.columns.map(definitionOf) : [],
    rows: objects.map((object) => rowOf(kind, object, options)),
  };
}

function definitionOf({ name, type, format, description, priority }: Column) {
  return {
    name,
    type: type === 'date' ? 'string' : type,
    format: format ?? (name === 'Name' ? 'name' : ''),
    description: description ?? '',
    priority: priority ?? 0,
  };
}

function rowOf(kind: Kind, object: KubeObject, { now, include }: { now: number; include: IncludeObject }) {
  const cells = kind.columns.map((column) => column.cell(object, now));
  if (include === 'None') return { cells };
  return { cells, object: include === 'Object' ? object : partialOf(object) };
}

export function partialOf({ metadata }: KubeObject): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

/** A duration as kubectl shows ages: at most two units, fewer the older it is. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? two(years, 'y', days % 365, 'd') : `${years}y`;
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

export function ageOf(timestamp: string | undefined, now: number): string {
  if (!timestamp) return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}
