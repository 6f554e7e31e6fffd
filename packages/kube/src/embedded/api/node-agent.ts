import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/**
 * What the API server asks of the node about running containers. The node registers one; without it none of this is available. What
 * cannot be done is thrown as a KubeError.
 */
export interface NodeAgent {
  logs(request: LogRequest): AsyncIterable<Uint8Array>;
  exec(request: ExecRequest): CommandProcess;
  /** Connects to a port of the pod. Rejects with a plain error when nobody listens there. */
  connect(request: PortRequest): Promise<Socket>;
  /** Undefined until there is something to tell. */
  usage(): UsageSample | undefined;
}

export interface LogRequest {
  namespace: string;
  pod: string;
  container: string;
  follow: boolean;
  tailLines?: number;
  sinceSeconds?: number;
  sinceTime?: string;
  previous: boolean;
  timestamps: boolean;
  limitBytes?: number;
  signal: AbortSignal;
}

export interface ExecRequest {
  namespace: string;
  pod: string;
  container: string;
  command: readonly string[];
  tty: boolean;
}

export interface PortRequest {
  namespace: string;
  pod: string;
  port: number;
}

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** A command that runs in a container. Ends with the container. */
export interface CommandProcess {
  stdin: Writable;
  stdout: Readable;
  /** None with a terminal, which has one output. */
  stderr: Readable | undefined;
  resize(size: TerminalSize): void;
  ended: Promise<ExecEnd>;
  /** Ends it with all that it began; `atOnce` as when its container is gone, otherwise as when its terminal is closed. */
  kill(how?: { atOnce: boolean }): Promise<void>;
}

export interface ExecEnd {
  exitCode: number;
  /** Why it could not begin. */
  message?: string;
}

/** What was used between two looks, the second of them at `takenAt`. */
export interface UsageSample {
  takenAt: number;
  windowMs: number;
  node: Usage;
  containers: ContainerUsage[];
}

export interface ContainerUsage {
  namespace: string;
  pod: string;
  /** Of the pod. */
  uid: string;
  name: string;
  usage: Usage;
}

export interface Usage {
  cpuCores: number;
  memoryBytes: number;
}
