// `npm run cluster`: a real Kubernetes for the tests, see docs/cluster-for-tests.md. What it needs of npm is installed first.
import { spawn } from 'node:child_process';
import { install } from './install.mjs';
import { reportAndExit, requireNode, root } from './steps.mjs';

try {
  requireNode();
  await install();
} catch (error) {
  reportAndExit(error);
}
const child = spawn(process.execPath, ['--import', 'tsx', 'test/cluster/main.ts', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
// The child hears an interrupt by itself and leaves a state that the next `up` takes over.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.once('close', (code) => process.exit(code ?? 1));
