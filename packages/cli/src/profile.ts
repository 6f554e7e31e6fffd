import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { CliContext } from './context.ts';
import { CliError, EXIT_CODES } from './exit-codes.ts';

/** One sign-in: where, as whom, and the team that commands are about. */
const profileSchema = z.object({
  url: z.string(),
  token: z.string(),
  tokenId: z.string().optional(),
  email: z.string().optional(),
  team: z.string().optional(),
});
export type Profile = z.infer<typeof profileSchema>;

/** Profiles by address; `current` is where commands go when nothing else says so. */
const configSchema = z.object({ current: z.string().optional(), profiles: z.record(z.string(), profileSchema) });
export type CliConfig = z.infer<typeof configSchema>;

type Place = Pick<CliContext, 'configDirectory'>;

export function readConfig({ configDirectory }: Place): CliConfig {
  const file = join(configDirectory, 'config.json');
  if (!existsSync(file)) return { profiles: {} };
  try {
    return configSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new CliError(
      EXIT_CODES.failure,
      `${file} is not readable as the sign-ins of berth: remove it and run "berth login"`,
    );
  }
}

/** Whole or not at all, for its owner alone: it holds tokens. */
export function writeConfig({ configDirectory }: Place, config: CliConfig): void {
  mkdirSync(configDirectory, { recursive: true, mode: 0o700 });
  const file = join(configDirectory, 'config.json');
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}

export function saveProfile(place: Place, profile: Profile): void {
  const config = readConfig(place);
  writeConfig(place, { current: profile.url, profiles: { ...config.profiles, [profile.url]: profile } });
}

export function removeProfile(place: Place, url: string): void {
  const { current, profiles } = readConfig(place);
  const { [url]: _removed, ...others } = profiles;
  writeConfig(place, { ...(current !== url && current !== undefined && { current }), profiles: others });
}
