import { describe, expect, it } from 'vitest';
import { userDeploymentDefinition } from './crd.ts';

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}

const [version] = userDeploymentDefinition().spec.versions as { schema: { openAPIV3Schema: Schema } }[];
const whole = version?.schema.openAPIV3Schema ?? {};

/** Every field below, by its path. `metadata` is Kubernetes' own. */
function fieldsOf(schema: Schema, path: string): [path: string, schema: Schema][] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, each]): [string, Schema][] => {
    if (path === '' && name === 'metadata') return [];
    const at = path === '' ? name : `${path}.${name}`;
    return [[at, each], ...fieldsOf(each, at)];
  });
  return [...own, ...(schema.items ? fieldsOf(schema.items, `${path}[]`) : [])];
}

describe('the definition of UserDeployment', () => {
  it('explains every field to "kubectl explain"', () => {
    const fields = fieldsOf(whole, '');
    expect(fields.length).toBeGreaterThan(100);
    expect(fields.filter(([, { description }]) => !description).map(([path]) => path)).toEqual([]);
  });

  it('explains in sentences', () => {
    for (const [path, { description = '' }] of fieldsOf(whole, '')) {
      expect.soft(description, path).toMatch(/^[A-Z`].*[.!]$/su);
    }
  });
});
