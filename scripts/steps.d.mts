export const root: string;
export function step<T>(what: string, work: () => Promise<T>): Promise<T>;
export function seconds(since: number): string;
export class PlainError extends Error {}
export interface RunOptions {
  show?: boolean;
  quiet?: boolean;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}
export function run(program: string, parameters: string[], options?: RunOptions): Promise<string>;
export function reportAndExit(error: unknown): never;
export function requireNode(): void;
