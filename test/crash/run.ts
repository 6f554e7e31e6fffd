import { rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Berth, berthAt, type Role, tail, testFolder, until } from '../support/berth.ts';
import { processes, readProcess } from '../support/processes.ts';
import { createClient } from './client.ts';
import { Ledger } from './ledger.ts';
import { type Random, seededRandom } from './random.ts';
import { BREAKABLE } from './templates.ts';
import { differences } from './verify.ts';
import { resumeAll, startAll, work } from './worker.ts';

/**
 * The crash test: users write, update, break, roll back, scale, pause and clone while processes are killed with SIGKILL, seeded, some of them
 * while a request is on its way. Afterwards what the users were told must equal what is there: rows and objects (read by SQL), processes
 * (by /proc) and volumes (on the disk).
 */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const { values: flags } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    users: { type: 'string', default: '4' },
    port: { type: 'string', default: '7480' },
    main: { type: 'string', default: join(root, 'dist/main.js') },
    keep: { type: 'boolean', default: false },
  },
});
const kills = Number(flags.kills);
const random = seededRandom(Number(flags.seed));

await main();

async function main(): Promise<void> {
  const folder = testFolder('berth-crash-');
  const berth = berthAt({ main: flags.main, data: join(folder, 'data'), port: Number(flags.port) });
  const problems: string[] = [];
  // Cut off in the middle: nothing that was started may stay.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      leftovers(folder);
      process.exit(1);
    });
  }
  try {
    console.log(`crash test: ${kills} kills, seed ${flags.seed}, data in ${folder}`);
    await berth.start();
    problems.push(...(await rehearse(berth)));
  } catch (error) {
    problems.push(error instanceof Error ? `${error.message}${error.cause ? ` (${error.cause})` : ''}` : String(error));
  } finally {
    await berth.stop().catch((error: Error) => problems.push(error.message));
  }
  problems.push(...leftovers(folder));
  for (const problem of problems) console.log(`  not right: ${problem}`);
  if (problems.length > 0) console.log(`--- end of the log of berth up\n${tail(berth.log)}`);
  if (!flags.keep && problems.length === 0) rmSync(folder, { recursive: true, force: true });
  console.log(`${problems.length === 0 ? 1 : 0} passed, ${problems.length === 0 ? 0 : 1} failed`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

async function rehearse(berth: Berth): Promise<string[]> {
  const ledger = new Ledger();
  const client = createClient(berth.url, ledger);
  await client.signIn();
  const saved = await client.send('POST', '/api/templates', { source: BREAKABLE });
  if (saved.status !== 201) throw new Error(`saving a template: ${saved.status} ${JSON.stringify(saved.body)}`);
  let stopped = false;
  let failed: unknown;
  const workers = Array.from({ length: Number(flags.users) }, (_, index) =>
    work({
      name: `user${index}`,
      client,
      ledger,
      random: seededRandom(Number(flags.seed) * 1000 + index),
      port: berth.port,
      stopped: () => stopped,
    }).catch((error: unknown) => {
      failed ??= error;
    }),
  );
  const tally = await killMany(berth, ledger, () => failed !== undefined);
  stopped = true;
  await Promise.all(workers);
  console.log(
    `${ledger.answers} answers, ${ledger.unanswered} requests without one; kills: ${[...tally.byRole].map(([role, count]) => `${role} ${count}`).join(', ')}; ${tally.inFlight} while a request was on its way`,
  );
  if (failed) throw failed;
  if (!berth.alive()) await berth.start();
  await resumeAll(client, ledger);
  const problems = await settle(berth, ledger);
  // What was stopped is started too, for a volume shows what it kept only to a running app.
  await startAll(client, ledger);
  problems.push(...(await settle(berth, ledger)));
  const least = Math.floor(kills * 0.3);
  if (tally.inFlight < least)
    problems.push(`only ${tally.inFlight} kills met a request on its way; ${least} are wanted`);
  return problems;
}

async function killMany(berth: Berth, ledger: Ledger, aborted: () => boolean) {
  const byRole = new Map<Role | 'workload', number>();
  let inFlight = 0;
  for (let count = 1; count <= kills && !aborted(); count++) {
    await delay(random.below(1_500));
    if (!berth.alive()) await berth.start();
    const victim = chooseVictim(berth, random, byRole);
    if (!victim) continue;
    if (random.next() < 0.6) {
      await Promise.race([ledger.nextRequest(), delay(3_000)]);
      await delay(random.below(12));
    }
    if (ledger.pending > 0) inFlight += 1;
    try {
      process.kill(victim.pid, 'SIGKILL');
    } catch {
      continue; // It ended by itself in between.
    }
    byRole.set(victim.role, (byRole.get(victim.role) ?? 0) + 1);
    if (count % 10 === 0) console.log(`  ${count} of ${kills} kills, ${ledger.answers} answers so far`);
    if (victim.role === 'up') {
      await until('the supervisor is gone', 10_000, () => readProcess(victim.pid) === undefined);
      await berth.start();
    }
  }
  return { byRole, inFlight };
}

/** Some are up more of the time than others: of those that can be killed now, one of a kind that was killed least. */
function chooseVictim(
  berth: Berth,
  choose: Random,
  killed: ReadonlyMap<Role | 'workload', number>,
): { role: Role | 'workload'; pid: number } | undefined {
  const candidates: { role: Role | 'workload'; pid: number }[] = [...berth.roles()].map(([role, { pid }]) => ({
    role,
    pid,
  }));
  const workloads = processes().filter(
    (each) =>
      each.directory.startsWith(join(berth.data, 'cluster/pods')) ||
      each.directory.startsWith(join(berth.data, 'pods')),
  );
  if (workloads.length > 0) candidates.push({ role: 'workload', pid: choose.pick(workloads).pid });
  const count = ({ role }: { role: Role | 'workload' }) => killed.get(role) ?? 0;
  const least = Math.min(...candidates.map(count));
  const rarest = candidates.filter((each) => count(each) <= least + 1);
  return rarest.length > 0 ? choose.pick(rarest) : undefined;
}

/** Waits until the truth equals the ledger, or says what still differs after two minutes. */
async function settle(berth: Berth, ledger: Ledger): Promise<string[]> {
  let last: string[] = [];
  try {
    await until('everything agrees with what the users were told', 120_000, async () => {
      last = await differences(berth, ledger);
      return last.length === 0;
    });
  } catch {
    return last;
  }
  return [];
}

/** What the stop left, in words; it is ended here, so that a red run leaves nothing on the machine. */
function leftovers(folder: string): string[] {
  return processes()
    .filter((each) => each.directory.startsWith(folder) || each.command.some((word) => word.startsWith(folder)))
    .map((each) => {
      process.kill(each.pid, 'SIGKILL');
      return `process ${each.pid} is left after the stop: ${each.command.slice(0, 3).join(' ')}`;
    });
}
