import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { log, messageOf } from '../runtime/log.ts';
import { type AppSettings, buildKey } from './app-settings.ts';
import { buildApp, startLine } from './build.ts';
import { type Commit, cloneInto, findCommit, RepositoryError } from './repository.ts';
import type { CommandPlace } from './run-command.ts';
import type { Workplace } from './workplace.ts';

/** Brings the app to what its branch says now, and returns how to run it. What is built already is not built again. */
export async function prepareApp(
  settings: AppSettings,
  workplace: Workplace,
): Promise<{ line: string; place: CommandPlace }> {
  const built = await workplace.built();
  const key = buildKey(settings);
  const usable = built?.key === key ? built : undefined;
  const commit = await findCommit(settings).catch((error: unknown) => {
    // Where the app runs must not depend on where its source lies.
    if (!usable || error instanceof RepositoryError) throw error;
    log.warn(`${messageOf(error)}. What was built from ${shortOf(usable.commit)} before is started`);
    return { id: usable.commit, reference: usable.reference };
  });
  if (usable?.commit === commit.id) log.info(`${shortOf(commit.id)} of ${commit.reference} is built already`);
  else await buildCommit(settings, workplace, commit);
  const place = placeOf(settings, workplace);
  return { line: await startLine(place.directory, settings.startCommand), place };
}

async function buildCommit(settings: AppSettings, workplace: Workplace, commit: Commit): Promise<void> {
  log.info(`clone: ${commit.reference} of ${settings.repository}`);
  const fresh = await workplace.startFresh();
  const id = await cloneInto(fresh.directory, settings, commit);
  log.info(`clone: at ${shortOf(id)}`);
  warnOfMissing(fresh.directory);
  await workplace.setBuilt(undefined);
  await fresh.adopt();
  await buildApp(placeOf(settings, workplace), settings.buildCommand);
  await workplace.setBuilt({ commit: id, reference: commit.reference, key: buildKey(settings) });
}

function placeOf({ subdirectory, variables }: AppSettings, workplace: Workplace): CommandPlace {
  const root = realpathSync(workplace.source);
  const asked = join(root, subdirectory);
  if (!existsSync(asked)) throw new Error(`the repository has no folder "${subdirectory}"`);
  const directory = realpathSync(asked);
  if (directory !== root && !directory.startsWith(`${root}${sep}`)) {
    throw new Error(`the folder "${subdirectory}" leads out of the repository`);
  }
  const path = `${join(directory, 'node_modules/.bin')}:${workplace.environment.PATH}`;
  return { directory, environment: { ...workplace.environment, PATH: path, ...variables } };
}

function warnOfMissing(directory: string): void {
  if (existsSync(join(directory, '.gitmodules'))) log.warn('submodules are not cloned');
  const attributes = join(directory, '.gitattributes');
  if (existsSync(attributes) && readFileSync(attributes, 'utf8').includes('filter=lfs'))
    log.warn('files in Git LFS are not fetched: in their place are pointers');
}

function shortOf(commit: string): string {
  return commit.slice(0, 10);
}
