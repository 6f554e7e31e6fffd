import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Does the crash test bite? Berth is built with one of its safeguards taken out, and the crash test must turn red.
 * `npm run test:crash -- mutants`
 */
interface Mutant {
  name: string;
  /** In the built programs; each must be there exactly once. */
  replace: string;
  by: string;
}

const MUTANTS: Mutant[] = [
  {
    name: 'without the outbox: an entry is done before it is applied, so a kill in between loses it',
    replace: 'await applyDeployment(deps, entry.deploymentId);\n      await finish(database, entry);',
    by: 'await finish(database, entry);\n      await applyDeployment(deps, entry.deploymentId);',
  },
  {
    name: 'without adoption: a node knows nothing of the processes that an earlier one started',
    replace: 'if (record?.phase === "starting") adoptStarting(record);',
    by: 'record = undefined;',
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
    if (run.status === 0) survivors += 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(`${MUTANTS.length - survivors} passed, ${survivors} failed`);
process.exitCode = survivors === 0 ? 0 : 1;

function mutate(folder: string, { name, replace, by }: Mutant): void {
  const files = [
    join(folder, 'main.js'),
    ...readdirSync(join(folder, 'chunks')).map((file) => join(folder, 'chunks', file)),
  ];
  const hits = files.filter((file) => file.endsWith('.js') && readFileSync(file, 'utf8').includes(replace));
  const [file] = hits;
  if (!file || hits.length !== 1) throw new Error(`${name}: its text is in ${hits.length} files; mend the mutant`);
  writeFileSync(file, readFileSync(file, 'utf8').replace(replace, by));
}
