import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Does the crash test bite? Berth is built with one of its safeguards taken out, and the crash test must turn red.
 * `npm run test:mutants`
 */
interface Mutant {
  name: string;
  /** Text of the built programs, each there exactly once, and what takes its place. */
  edits: [from: string, to: string][];
}

const MUTANTS: Mutant[] = [
  {
    // The observer's resync writes entries too and would heal what is lost: it goes with the outbox.
    name: 'without the outbox: a change reaches the cluster at once or never',
    edits: [
      [
        'await applyDeployment(deps, entry.deploymentId);\n      await finish(database, entry);',
        'await finish(database, entry);\n      await applyDeployment(deps, entry.deploymentId);',
      ],
      [
        'async function ensureEnqueued({ database }, row) {',
        'async function ensureEnqueued({ database }, row) {\n  return;',
      ],
    ],
  },
  {
    name: 'without adoption: a node knows nothing of the processes that an earlier one started',
    edits: [['if (record?.phase === "starting") adoptStarting(record);', 'if (record) record = undefined;']],
  },
];

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
let survivors = 0;
for (const mutant of MUTANTS) {
  const folder = mkdtempSync(join(root, '.mutant-'));
  try {
    cpSync(join(root, 'dist'), folder, { recursive: true });
    mutate(folder, mutant);
    console.log(`mutant ${mutant.name}`);
    const flags = ['--kills', '40', '--seed', '11', '--port', '7481', '--main', join(folder, 'main.js')];
    const run = spawnSync(process.execPath, ['--import', 'tsx', join(root, 'test/crash/run.ts'), ...flags], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: tmpdir() },
    });
    const found = run.stdout.split('\n').filter((line) => line.includes('not right:'));
    console.log(found.slice(0, 5).join('\n') || '  survived: the crash test saw nothing');
    // A mutant that cannot even start proves nothing.
    if (run.status === 0 || found.some((line) => line.includes('ended while starting'))) survivors += 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(`${MUTANTS.length - survivors} passed, ${survivors} failed`);
process.exitCode = survivors === 0 ? 0 : 1;

function mutate(folder: string, { name, edits }: Mutant): void {
  const chunks = readdirSync(join(folder, 'chunks')).map((file) => join(folder, 'chunks', file));
  const files = [join(folder, 'main.js'), ...chunks].filter((file) => file.endsWith('.js'));
  for (const [from, to] of edits) {
    const hits = files.filter((file) => readFileSync(file, 'utf8').includes(from));
    const [file] = hits;
    if (!file || hits.length !== 1) throw new Error(`${name}: its text is in ${hits.length} files; mend the mutant`);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
  }
}
