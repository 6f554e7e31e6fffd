import { definitionFiles } from '@berth/server/kubernetes/definition-files';
import { chartFiles } from './chart/chart-files.ts';
import { permissionsPage } from './permissions-page.ts';

/** Every generated file of the repository by its path. What else is in a generated folder is left over and goes. */
export function generatedFiles(): Record<string, string> {
  const definitions = Object.entries(definitionFiles()).map(([name, text]) => [`deploy/crds/${name}`, text]);
  return { ...Object.fromEntries(definitions), ...chartFiles(), 'docs/permissions.md': permissionsPage() };
}

export const GENERATED_FOLDERS: readonly string[] = ['deploy/crds', 'deploy/chart/templates/definitions'];
