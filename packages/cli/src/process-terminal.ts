import type { CliTerminal } from './context.ts';

export function processTerminal(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  stderr: NodeJS.WriteStream,
): CliTerminal {
  return {
    input: stdin,
    writeBytes: (bytes, to) => void (to === 'output' ? stdout : stderr).write(bytes),
    setRaw(raw) {
      if (stdin.isTTY) stdin.setRawMode(raw);
    },
    size: () => (stdout.isTTY ? { columns: stdout.columns, rows: stdout.rows } : undefined),
    onResize(callback) {
      stdout.on('resize', callback);
      return () => stdout.off('resize', callback);
    },
  };
}
