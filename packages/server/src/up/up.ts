import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { UpOptions } from '../configuration/up-options.ts';
import { databasePlace, databaseUrl } from '../postgres/place.ts';
import { type DataPaths, makeDataDirectory } from './data-paths.ts';
import { writeJsonFile } from './json-file.ts';
import { type KeyFiles, makeMissingKeys } from './keys.ts';
import { endLeftOvers } from './left-overs.ts';
import { type Lock, takeLock } from './lock.ts';
import { choosePorts } from './ports.ts';
import { type PlannedProcess, type ProcessName, planProcesses } from './process-plan.ts';
import { type SupervisedProcess, superviseProcess } from './supervised-process.ts';

/**
 * The supervisor of `berth up`: takes the data directory, starts one process after the other and keeps them running. It
 * listens on nothing and does no work of its own, so there is little that could end it.
 */
export interface UpHost {
  /** The bundle that each process is started from. */
  mainFile: string;
  environment: Readonly<Record<string, string | undefined>>;
  version: string;
  /** One line for the person in front of the terminal. */
  say(sentence: string): void;
}

export interface RunningBerth {
  url: string;
  /** Stops everything in order; workloads too. Never rejects because something had to be killed. */
  stop(): Promise<void>;
}

/** What the person in front of it may want meanwhile. */
export interface UpControl {
  /** Not to wait for the start any longer. */
  cancel: AbortSignal;
  /** That whatever stops does so without grace. */
  hurry: AbortSignal;
}

/** Processes of one group start together, each group once the one before is ready. */
const GROUPS: readonly (readonly ProcessName[])[] = [['database'], ['cluster'], ['server', 'operator', 'router']];

/** Resolves once everything is ready, or to undefined when it was cancelled and has stopped again. */
export async function up(options: UpOptions, host: UpHost, control: UpControl): Promise<RunningBerth | undefined> {
  const paths = makeDataDirectory(options.dataDirectory);
  const lock = takeLock(paths);
  try {
    return await start({ options, host, paths, lock, control });
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface Start {
  options: UpOptions;
  host: UpHost;
  paths: DataPaths;
  lock: Lock;
  control: UpControl;
}

async function start({ options, host, paths, lock, control }: Start): Promise<RunningBerth | undefined> {
  const since = performance.now();
  rmSync(paths.berthFile, { force: true });
  await endLeftOvers(paths.run, host.say);
  const keys = await prepareKeys(paths);
  const ports = await choosePorts(paths.ports, options);
  const publicUrl = options.publicUrl?.replace(/\/$/, '') ?? `http://${options.domain}:${ports.public}`;
  const plan = planProcesses({ options, paths, ports, keys, databaseUrls: databaseUrls(options, paths), publicUrl });
  const processes = plan.map((each) => supervise(each, paths, host));
  const berth = running({ url: publicUrl, processes, paths, lock, host });
  control.hurry.addEventListener('abort', () => {
    for (const each of processes) each.hurry();
  });
  const cancelled = whenAborted(control.cancel);
  try {
    for (const group of GROUPS) {
      const started = processes.filter(({ name }) => group.some((each) => each === name));
      await Promise.race([Promise.all(started.map((each) => begin(each, host))), cancelled]);
      if (!control.cancel.aborted) continue;
      await berth.stop();
      return undefined;
    }
  } catch (error) {
    await berth.stop();
    throw error;
  }
  writeJsonFile(paths.berthFile, {
    url: publicUrl,
    port: ports.public,
    kubeconfig: options.kubeconfigFile ?? paths.kubeconfig,
    pid: process.pid,
    version: host.version,
  });
  host.say(`Berth is ready after ${seconds(since)}: ${publicUrl}`);
  return berth;
}

async function prepareKeys(paths: DataPaths): Promise<KeyFiles> {
  return makeMissingKeys(paths.keys, {
    dataExists: existsSync(join(paths.root, 'postgres.json')),
    makeCertificate: async () => {
      // Only a first start needs the library.
      const { makeInternalCertificate } = await import('./certificates.ts');
      return makeInternalCertificate(new Date());
    },
  });
}

/** In a database of one's own the two sets of tables lie side by side: they share no name. */
function databaseUrls(options: UpOptions, paths: DataPaths): { berth: string; cluster: string } {
  if (options.databaseUrl !== undefined) return { berth: options.databaseUrl, cluster: options.databaseUrl };
  const place = databasePlace(paths.root);
  return { berth: databaseUrl(place, 'berth'), cluster: databaseUrl(place, 'cluster') };
}

function supervise(planned: PlannedProcess, paths: DataPaths, host: UpHost): SupervisedProcess {
  const inherited = Object.entries(host.environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return superviseProcess({
    name: planned.name,
    mainFile: host.mainFile,
    environment: {
      ...Object.fromEntries(inherited),
      ...planned.settings,
      BERTH_RUN_FILE: join(paths.run, `${planned.name}.json`),
    },
    logFile: join(paths.logs, `${planned.name}.log`),
    stopWithinMs: planned.stopWithinMs,
    hurrySignal: planned.name === 'database' ? 'SIGTERM' : 'SIGKILL',
    say: host.say,
  });
}

async function begin(process: SupervisedProcess, host: UpHost): Promise<void> {
  const since = performance.now();
  await process.begin();
  host.say(`  ${process.name.padEnd(10)}${seconds(since)}`);
}

function running(parts: {
  url: string;
  processes: readonly SupervisedProcess[];
  paths: DataPaths;
  lock: Lock;
  host: UpHost;
}): RunningBerth {
  const { url, processes, paths, lock, host } = parts;
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    rmSync(paths.berthFile, { force: true });
    for (const each of [...processes].reverse()) {
      const since = performance.now();
      await each.stop();
      host.say(`  ${each.name.padEnd(10)}stopped ${seconds(since)}`);
    }
    lock.release();
  }
  return {
    url,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
