import { join } from 'node:path';
import { guardDatabase } from '../database-guard.ts';
import { databasePlace } from '../place.ts';

/** A guard in a process of its own, for tests that kill it: prints the postmaster's pid and stays. */
const [directory = ''] = process.argv.slice(2);
const guard = await guardDatabase({
  place: databasePlace(directory),
  databases: ['berth'],
  logFile: join(directory, 'logs', 'postgres.log'),
  say: (sentence) => console.error(sentence),
});
console.log(guard.postmaster().pid);
setInterval(() => undefined, 60_000);
