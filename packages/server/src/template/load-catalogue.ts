import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readTemplate, type Template } from '@berth/core/template';
import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import {
  findShippedVersion,
  findSource,
  insertTemplate,
  lockTemplates,
  replaceTemplate,
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
      templates.map(({ template: { metadata, spec } }) => ({ name: metadata.name, version: spec.version })),
    );
  });
}

interface Shipped {
  template: Template;
  source: string;
}

async function readCatalogue(directory: string): Promise<Shipped[]> {
  const files = (await readdir(directory)).filter((name) => /\.ya?ml$/.test(name)).sort();
  const fileOf = new Map<string, string>();
  const templates: Shipped[] = [];
  for (const file of files) {
    const source = await readFile(join(directory, file), 'utf8');
    const template = readTemplate(source, file);
    const other = fileOf.get(template.metadata.name);
    if (other) throw new Error(`${file} and ${other} both describe the template "${template.metadata.name}"`);
    fileOf.set(template.metadata.name, file);
    templates.push({ template, source });
  }
  return templates;
}

async function load(loader: CatalogueLoader, transaction: Transaction, { template, source }: Shipped): Promise<void> {
  const { name } = template.metadata;
  const { version } = template.spec;
  const known = await findShippedVersion(transaction, { name, version });
  const row = { name, version, spec: template.spec, source, loadedAt: loader.clock() };
  if (!known) {
    await insertTemplate(transaction, row);
    return loader.log.info({ template: name, version }, 'template added');
  }
  // jsonb keeps no order of fields and no `undefined`: compare what would be read back.
  if (isDeepStrictEqual(known.spec, JSON.parse(JSON.stringify(template.spec)))) {
    // Comments may change, and an older release kept no source.
    const same = (await findSource(transaction, { name, version })) === source;
    return same ? undefined : replaceTemplate(transaction, row);
  }
  if (!loader.development) {
    throw new Error(
      `template "${name}" was changed but still has version ${version}, from which deployments were made: raise its version`,
    );
  }
  await replaceTemplate(transaction, row);
  loader.log.warn({ template: name, version }, 'template replaced under the same version');
}
