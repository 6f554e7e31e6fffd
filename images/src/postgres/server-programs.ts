import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** PostgreSQL's programs and the directory they work on. */
export interface PostgresServer {
  binaries: string;
  directory: string;
}

/** Only what PostgreSQL needs: the password of the role is in our environment and must not be in its children's. */
const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

export function spawnProgram(server: PostgresServer, program: string, parameters: string[]): ChildProcess {
  return spawn(join(server.binaries, program), parameters, { env: ENVIRONMENT, stdio: ['pipe', 'inherit', 'inherit'] });
}

export async function runProgram(server: PostgresServer, program: string, run: ProgramRun): Promise<void> {
  const child = spawnProgram(server, program, run.parameters);
  // A program that ends early closes its input; its exit code says what was wrong.
  child.stdin?.on('error', (error) => console.error(`${program} took no input: ${error.message}`));
  child.stdin?.end(run.input ?? '');
  const code = await exitOf(child);
  if (code !== 0) throw new Error(`${program} failed with exit code ${code}; its own message stands above`);
}

export interface ProgramRun {
  parameters: string[];
  input?: string;
}

export function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`cannot start PostgreSQL: ${error.message}`, { cause: error })));
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 1)));
  });
}

/**
 * Runs statements with no server and no listener. Single-user mode ends a statement at a semicolon and an empty line
 * (`-j`), so a value may hold a newline if it is written as an escape: see `literal`.
 */
export async function runStatements(server: PostgresServer, statements: string[]): Promise<void> {
  const parameters = ['--single', '-j', '-F', '-c', 'exit_on_error=true', '-c', 'log_checkpoints=off', '-D'];
  await runProgram(server, 'postgres', {
    parameters: [...parameters, server.directory, 'template1'],
    input: `${statements.map((statement) => `${statement};\n\n`).join('')}`,
  });
}

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** An escape string, on one line whatever the value holds. */
export function literal(value: string): string {
  const escaped = value
    .replace(/['\\]/g, (character) => `\\${character}`)
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r');
  return `E'${escaped}'`;
}
