import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readTemplate, type Template } from '@berth/core/template';
import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import {
  findTemplateVersion,
  insertTemplate,
  lockTemplates,
  replaceTemplateSpec,
  setCurrentTemplates,
} from './repository.ts';

export interface CatalogueLoader {
  database: Database;
  clock: Clock;
  log: Logger;
  /** While templates are being written: a changed file replaces its version instead of being refused. */
  development: boolean;
}

/**
 * Brings the catalogue of a directory into the database: all of it or, when any file is wrong, nothing. A version never
 * changes once it is there, since deployments were made from it.
 */
export async function loadCatalogue(loader: CatalogueLoader, directory: string): Promise<void> {
  const templates = await readCatalogue(directory);
  await loader.database.transaction(async (transaction) => {
    await lockTemplates(transaction);
    for (const template of templates) await load(loader, transaction, template);
    await setCurrentTemplates(
      transaction,
      templates.map(({ metadata, spec }) => ({ name: metadata.name, version: spec.version })),
    );
  });
}

async function readCatalogue(directory: string): Promise<Template[]> {
  const files = (await readdir(directory)).filter((name) => /\.ya?ml$/.test(name)).sort();
  const fileOf = new Map<string, string>();
  const templates: Template[] = [];
  for (const file of files) {
    const template = readTemplate(await readFile(join(directory, file), 'utf8'), file);
    const other = fileOf.get(template.metadata.name);
    if (other) throw new Error(`${file} and ${other} both describe the template "${template.metadata.name}"`);
    fileOf.set(template.metadata.name, file);
    templates.push(template);
  }
  return templates;
}

async function load(loader: CatalogueLoader, transaction: Transaction, template: Template): Promise<void> {
  const { name } = template.metadata;
  const { version } = template.spec;
  const known = await findTemplateVersion(transaction, name, version);
  const row = { name, version, spec: template.spec, loadedAt: loader.clock() };
  if (!known) {
    await insertTemplate(transaction, row);
    return loader.log.info({ template: name, version }, 'template added');
  }
  // jsonb keeps no order of fields and no `undefined`: compare what would be read back.
  if (isDeepStrictEqual(known.spec, JSON.parse(JSON.stringify(template.spec)))) return;
  if (!loader.development) {
    throw new Error(
      `template "${name}" was changed but still has version ${version}, from which deployments were made: raise its version`,
    );
  }
  await replaceTemplateSpec(transaction, row);
  loader.log.warn({ template: name, version }, 'template replaced under the same version');
}
