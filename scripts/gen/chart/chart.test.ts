import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  KEYS_VARIABLES,
  MIGRATE_VARIABLES,
  OPERATOR_VARIABLES,
  SERVER_VARIABLES,
  WEB_VARIABLES,
} from '@berth/server/configuration/process-settings';
import { OPERATOR_RIGHTS } from '@berth/server/operator/rbac';
import { SERVER_RIGHTS } from '@berth/server/server-rbac';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../steps.mjs';
import { valuesSchema, valuesYaml } from './value-documents.ts';

const CHART = join(root, 'deploy/chart');
const templates = readdirSync(join(CHART, 'templates'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));

describe('the chart', () => {
  it('has the version of the program', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const about = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
    expect(about).toMatchObject({ version, appVersion: version });
  });

  it('sets no variable that no process reads', () => {
    const read = new Set(
      [SERVER_VARIABLES, OPERATOR_VARIABLES, WEB_VARIABLES, KEYS_VARIABLES, MIGRATE_VARIABLES].flatMap((variables) =>
        Object.values(variables).map(({ name }) => name),
      ),
    );
    const set = templates.flatMap((text) =>
      [...text.matchAll(/name: ((?:BERTH|OTEL|DATABASE)_\w+)/g)].map(([, name = '']) => name),
    );
    expect(set.length).toBeGreaterThan(40);
    expect([...new Set(set)].filter((name) => !read.has(name) && !read.has(name.replace(/_FILE$/, '')))).toEqual([]);
  });

  it('reads no value that is not in its schema', () => {
    const values = parse(valuesYaml()) as object;
    const used = templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path));
    const missing = [...new Set(used)].filter((path) => !has(values, path.split('.')));
    expect(missing).toEqual([]);
  });

  it('lets no value through that it does not know', () => {
    const open = unknownAllowed(JSON.parse(valuesSchema()) as Schema, []);
    expect(open).toEqual([]);
  });
});

describe('the rights', () => {
  it('have a reason each, and no wildcard', () => {
    for (const rule of [SERVER_RIGHTS, OPERATOR_RIGHTS].flatMap((rights) => Object.values(rights).flat())) {
      expect(rule.reason).toMatch(/\w{3}/);
      expect([...rule.apiGroups, ...rule.resources, ...rule.verbs]).not.toContain('*');
    }
  });

  it('let the server read no Secret, and name the one that it writes', () => {
    const secrets = Object.values(SERVER_RIGHTS)
      .flat()
      .filter(({ resources }) => resources.includes('secrets'));
    expect(secrets.map(({ verbs, resourceNames }) => ({ verbs, resourceNames }))).toEqual([
      { verbs: ['create', 'patch'], resourceNames: ['berth-delivery'] },
    ]);
  });
});

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
}

function has(values: unknown, [name, ...rest]: string[]): boolean {
  if (name === undefined) return true;
  if (typeof values !== 'object' || values === null || !(name in values)) return false;
  return has((values as Record<string, unknown>)[name], rest);
}

/** Groups of values; a record of labels takes whatever it is given. */
function unknownAllowed({ properties, additionalProperties }: Schema, path: string[]): string[] {
  if (!properties) return [];
  const below = Object.entries(properties).flatMap(([name, each]) => unknownAllowed(each, [...path, name]));
  return additionalProperties === false ? below : [path.join('.'), ...below];
}
