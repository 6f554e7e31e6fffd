import type { KubeObject, ResourceType } from '../../../schema/object.ts';
import type { Column, Kind, Strategy } from '../kind.ts';
import { builtInSchema } from '../schema.ts';
import { ageOf } from '../table.ts';

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  cell: ({ metadata }) => metadata.name,
};

export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
  cell: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
};

/** A column of text; `wide` ones show with `-o wide` only. */
export function text(name: string, cell: (object: KubeObject) => unknown, wide = false): Column {
  return { name, type: 'string', cell, ...(wide && { priority: 1 }) };
}

export function integer(name: string, cell: (object: KubeObject) => unknown): Column {
  return { name, type: 'integer', cell };
}

export interface KindOptions extends Partial<Omit<Kind, keyof ResourceType | 'schema' | 'columns' | 'strategy'>> {
  schema: string;
  /** Between Name and Age; a function of the whole list where Age is not the last. */
  columns?: Column[];
  wide?: Column[];
  withoutAge?: boolean;
  strategy?: Strategy;
}

/** A built-in kind: what is left out is as for most kinds. */
export function defineKind(type: ResourceType, options: KindOptions): Kind {
  const { schema, columns = [], wide = [], withoutAge, strategy = {}, ...rest } = options;
  return {
    ...type,
    singular: type.kind.toLowerCase(),
    storage: type.group === '' ? type.plural : `${type.plural}.${type.group}`,
    storedVersion: type.version,
    ...rest,
    schema: builtInSchema(schema),
    columns: [nameColumn, ...columns, ...(withoutAge ? [] : [ageColumn]), ...wide],
    strategy,
  };
}

/** Reads a field by path; undefined where the way ends. Own fields only. */
export function at(object: unknown, ...path: (string | number)[]): unknown {
  let value = object;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** `<none>` for what is not there, as kubectl prints it. */
export function orNone(value: unknown): unknown {
  return value === undefined || value === '' || value === null ? '<none>' : value;
}
