import type { Settings } from '../configuration/environment.ts';
import type { DATABASE_VARIABLES } from '../configuration/process-settings.ts';
import { guardDatabase } from '../postgres/database-guard.ts';
import { databasePlace } from '../postgres/place.ts';
import { HopelessError, type Service } from '../processes/service.ts';

const DATABASES = ['berth', 'cluster'];
/** Server and cluster stop before us; when all lost their supervisor at once they need their database a while longer. */
const CONNECTED_MAY_TAKE_MS = 25_000;

/**
 * The process that guards the postmaster. It exists so that a supervisor killed by `kill -9` leaves no PostgreSQL
 * behind: this process hears of it, lets the others finish and then stops the postmaster. Were the postmaster the supervisor's own
 * child, nobody would.
 */
export async function runDatabase(
  settings: Settings<typeof DATABASE_VARIABLES>,
  say: (sentence: string) => void,
): Promise<Service> {
  try {
    const place = databasePlace(settings.dataDirectory);
    const guard = await guardDatabase({ place, databases: DATABASES, logFile: settings.logFile, say });
    return { stop: () => guard.stop({ connectedMayTakeMs: CONNECTED_MAY_TAKE_MS }), stopNow: () => guard.stopNow() };
  } catch (error) {
    throw new HopelessError(`the database does not start: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
