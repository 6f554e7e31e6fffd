import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Command, Report, Sample } from './sample.ts';

/** The sender as its starter sees it. */
export interface Sender {
  phase(name: string): void;
  /** Ends the sending, waits for what is under way and tells what became of each request. */
  stop(): Promise<Sample[]>;
  kill(): void;
}

export function startSender(options: { url: string; rate: number }): Sender {
  const parameters = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child: ChildProcess = fork(fileURLToPath(new URL('./sender.ts', import.meta.url)), parameters, {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
  const tell = (command: Command) => child.send(command);
  const report = once(child, 'message') as Promise<[Report]>;
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the sender ended with ${code} and told nothing`);
  });
  ended.catch(() => undefined);
  return {
    phase: (name) => tell({ phase: name }),
    async stop() {
      tell({ stop: true });
      const [{ samples }] = await Promise.race([report, ended]);
      return samples;
    },
    kill: () => child.kill('SIGKILL'),
  };
}
