import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../../scripts/steps.mjs';

/** Go keeps what it has built, so the second time takes a moment. */
export async function buildPeer(folder: string): Promise<string> {
  const program = join(folder, 'peer');
  const cwd = fileURLToPath(new URL('../peer', import.meta.url));
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' };
  await run('go', ['build', '-trimpath', '-buildvcs=false', '-o', program, '.'], { cwd, env });
  return program;
}
