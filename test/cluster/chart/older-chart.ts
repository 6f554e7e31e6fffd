import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from '../../../scripts/steps.mjs';
import type { ClusterTools } from '../helm.ts';

/**
 * The chart as it may have been a version ago, packed: it runs the same image, and its definition of UserDeployment lacks a field and a
 * column that today's has.
 */
export const OLDER_VERSION = '0.0.9';
/** Of a spec. */
export const NEWER_FIELD = 'restartedAt';
const NEWER_COLUMN = 'Serving';
const DEFINITION = 'templates/definitions/userdeployments.berth.dev.yaml';

export async function packOlderChart({ helm }: ClusterTools, scratch: string): Promise<string> {
  const folder = join(scratch, 'older');
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'deploy/chart'), folder, { recursive: true });
  const about = parse(readFileSync(join(folder, 'Chart.yaml'), 'utf8')) as Record<string, unknown>;
  writeFileSync(join(folder, 'Chart.yaml'), stringify({ ...about, version: OLDER_VERSION }));
  const definition = join(folder, DEFINITION);
  writeFileSync(definition, olderDefinition(readFileSync(definition, 'utf8')));
  await helm('package', folder, '--destination', scratch);
  return join(scratch, `berth-${OLDER_VERSION}.tgz`);
}

interface Definition {
  spec: {
    versions: [
      {
        additionalPrinterColumns: { name: string }[];
        schema: { openAPIV3Schema: { properties: { spec: { properties: Record<string, unknown> } } } };
      },
    ];
  };
}

/** The head is a template; what comes after it is YAML. */
function olderDefinition(text: string): string {
  const start = text.indexOf('apiVersion: apiextensions.k8s.io/v1');
  const end = text.lastIndexOf('{{- end }}');
  const definition = parse(text.slice(start, end)) as Definition;
  const [version] = definition.spec.versions;
  delete version.schema.openAPIV3Schema.properties.spec.properties[NEWER_FIELD];
  version.additionalPrinterColumns = version.additionalPrinterColumns.filter(({ name }) => name !== NEWER_COLUMN);
  return `${text.slice(0, start)}${stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false })}${text.slice(end)}`;
}
