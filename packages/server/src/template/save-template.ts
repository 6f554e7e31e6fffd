import { BerthError, invalidInput } from '@berth/core/errors';
import { requireKnownExpressions } from '@berth/core/render';
import { readTemplate } from '@berth/core/template';
import type { Clock } from '../clock.ts';
import type { Transaction } from '../db/database.ts';
import {
  findCurrentTemplate,
  findTemplateVersion,
  findVersions,
  insertTemplate,
  lockTemplates,
  offer,
  type TemplateRow,
} from './repository.ts';

export interface OwnTemplate {
  teamId: string;
  source: string;
  by: string;
}

/**
 * A template of a team's own, or a new version of it. A version never changes once it is there, since deployments were made from it;
 * the newest is what the catalogue offers.
 */
export async function saveTemplate(
  { clock }: { clock: Clock },
  transaction: Transaction,
  { teamId, source, by }: OwnTemplate,
): Promise<TemplateRow> {
  const template = readTemplate(source, 'The template');
  requireKnownExpressions(template);
  const { metadata, spec } = template;
  const { name } = metadata;
  const { version } = spec;
  await lockTemplates(transaction);
  // Also one that is no longer offered: what was deployed from it finds its versions by this name.
  if ((await findVersions(transaction, { name })).length > 0) {
    throw refused('metadata.name', `"${name}" ships with Berth; choose another name`);
  }
  const versions = await findVersions(transaction, { teamId, name });
  const [newest] = versions;
  if (versions.includes(version)) {
    throw refused(
      'spec.version',
      `${version} is there already and never changes; write a newer one, such as ${after(newest ?? version)}`,
    );
  }
  await insertTemplate(transaction, { name, version, spec, source, loadedAt: clock(), teamId, madeBy: by });
  // A version that is older than what is there is kept and not offered.
  const [offered = version] = await findVersions(transaction, { teamId, name });
  await offer(transaction, { teamId, name, version: offered });
  const row = await findTemplateVersion(transaction, { teamId, name, version });
  if (!row) throw new Error(`the template ${name} ${version} is gone within its own transaction`);
  return row;
}

/** No longer offered. Its versions stay for what was deployed from them, and a newer one brings it back. */
export async function retireTemplate(
  transaction: Transaction,
  { teamId, name }: { teamId: string; name: string },
): Promise<undefined> {
  if ((await offer(transaction, { teamId, name })) > 0) return undefined;
  if (await findCurrentTemplate(transaction, { name })) {
    throw new BerthError('conflict', `"${name}" ships with Berth and belongs to no team, so no team can take it away.`);
  }
  throw new BerthError('not_found', `The team has no template "${name}" of its own.`);
}

function after(version: string): string {
  const [major, minor, patch] = version.split('.').map(Number);
  return `${major}.${minor}.${(patch ?? 0) + 1}`;
}

function refused(path: string, message: string): BerthError {
  return invalidInput('The template', [{ path, message }]);
}
