import { type LabelRequirement, meetsAll, parseLabelSelector } from '../../../schema/label-selector.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { badRequest } from '../errors.ts';
import type { Kind } from '../kind.ts';

/** Which objects of a list or watch are meant. */
export interface Selection {
  labels: LabelRequirement[];
  fields: FieldRequirement[];
}

interface FieldRequirement {
  field: string;
  equal: boolean;
  value: string;
}

export function parseSelection(kind: Kind, labelSelector: string | null, fieldSelector: string | null): Selection {
  return { labels: parseLabels(labelSelector ?? ''), fields: parseFields(kind, fieldSelector ?? '') };
}

export function matches(kind: Kind, { labels, fields }: Selection, object: KubeObject): boolean {
  if (!meetsAll(labels, object.metadata.labels)) return false;
  if (fields.length === 0) return true;
  const values = selectableFields(kind, object);
  return fields.every(({ field, equal, value }) => ((values[field] ?? '') === value) === equal);
}

function selectableFields(kind: Kind, object: KubeObject): Record<string, string> {
  const own = { 'metadata.name': object.metadata.name, 'metadata.namespace': object.metadata.namespace ?? '' };
  return kind.selectable ? { ...kind.selectable(object), ...own } : own;
}

function parseLabels(text: string): LabelRequirement[] {
  if (text === '') return [];
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

/** `a=b,c!=d`, with `\` before a comma, an equals sign or a backslash that belongs to a value. */
function parseFields(kind: Kind, text: string): FieldRequirement[] {
  if (text === '') return [];
  const known = selectableFields(kind, { apiVersion: '', kind: '', metadata: { name: '' } });
  return (text.match(/(?:\\.|[^,\\])+/g) ?? []).map((part) => {
    const match = /^([^=!]+?)(==|!=|=)(.*)$/s.exec(part);
    if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    const [, field, operator, value] = match;
    if (!Object.hasOwn(known, field!)) {
      throw badRequest(`field label not supported: ${field}`);
    }
    return { field: field!, equal: operator !== '!=', value: value!.replace(/\\(.)/gs, '$1') };
  });
}
