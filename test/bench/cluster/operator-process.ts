import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { processorSecondsOf } from './processor-time.ts';

/** An operator to measure, by the name of its user. */
export interface OperatorProgram {
  name: string;
  command: (kubeconfig: string) => { program: string; words: string[]; environment: Record<string, string> };
}

export interface OperatorProcess {
  /** Resident, in MiB: now, and the most it has ever been. */
  memory(): { now: number; peak: number };
  /** Seconds of processor that it has taken. */
  processorSeconds(): number;
  stop(): Promise<void>;
}

/** How Berth runs its own: with a Lease, as in a cluster. A folder gets a profile of its processor time. */
export function ourOperator(main: string, profiles?: string): OperatorProgram {
  return {
    name: 'bench-berth',
    command: (kubeconfig) => ({
      program: process.execPath,
      words: [...(profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]), main, 'operator'],
      environment: {
        KUBECONFIG: kubeconfig,
        BERTH_LEASE_NAMESPACE: 'default',
        BERTH_INSTALL_DEFINITIONS: 'false',
        BERTH_PUBLIC_URL: 'https://berth.example.com',
        BERTH_LOG_LEVEL: 'warn',
      },
    }),
  };
}

export function peerOperator(program: string): OperatorProgram {
  return {
    name: 'bench-peer',
    command: (kubeconfig) => ({ program, words: ['-kubeconfig', kubeconfig], environment: {} }),
  };
}

export function startOperatorProcess(
  { command }: OperatorProgram,
  { kubeconfig, log }: { kubeconfig: string; log: string },
): OperatorProcess {
  const { program, words, environment } = command(kubeconfig);
  const output = openSync(log, 'a');
  const child = spawn(program, words, { stdio: ['ignore', output, output], env: { ...process.env, ...environment } });
  closeSync(output);
  return {
    memory: () => ({ now: statusOf(child, 'VmRSS'), peak: statusOf(child, 'VmHWM') }),
    processorSeconds: () => processorSecondsOf(running(child)),
    stop: () => end(child),
  };
}

function statusOf(child: ChildProcess, field: string): number {
  const status = readFileSync(`/proc/${running(child)}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
}

function running({ pid, exitCode }: ChildProcess): number {
  if (pid === undefined || exitCode !== null) throw new Error(`the operator has ended with ${exitCode}`);
  return pid;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}
