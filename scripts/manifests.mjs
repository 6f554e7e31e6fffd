// Writes deploy/manifests/base from the chart, by Helm; with --check only says which files are not what they should be.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { manifestFiles, NAMESPACE } from './manifests/render.mjs';
import { PlainError, reportAndExit, root, run } from './steps.mjs';

const FOLDER = 'deploy/manifests/base';
const VALUES = 'deploy/manifests/values.yaml';
/** What the chart asks for at least, so that no answer depends on whose Helm it is. */
const KUBERNETES = '1.30.0';

try {
  const parameters = ['template', 'berth', 'deploy/chart', '--namespace', NAMESPACE, '--values', VALUES];
  const wanted = manifestFiles(await run(findHelm(), [...parameters, '--kube-version', KUBERNETES]));
  const present = existsSync(join(root, FOLDER)) ? readdirSync(join(root, FOLDER)) : [];
  const leftOver = present.filter((name) => !(name in wanted));
  const changed = Object.keys(wanted).filter((name) => !present.includes(name) || read(name) !== wanted[name]);
  if (process.argv.includes('--check')) check([...changed, ...leftOver]);
  else write(wanted, { changed, leftOver });
} catch (error) {
  reportAndExit(error);
}

/** BERTH_HELM, else that of the cluster for tests, else what a person has installed. */
function findHelm() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const cluster = process.env.BERTH_CLUSTER_DIR || join(cache, 'berth/cluster');
  const built = join(cluster, 'bin/helm');
  return process.env.BERTH_HELM || (existsSync(built) ? built : 'helm');
}

function read(name) {
  return readFileSync(join(root, FOLDER, name), 'utf8');
}

function check(wrong) {
  if (wrong.length > 0)
    throw new PlainError(`not what "node scripts/manifests.mjs" makes; run it and commit: ${wrong.join(', ')}`);
  console.log('The manifests are what the chart renders.');
}

function write(wanted, { changed, leftOver }) {
  mkdirSync(join(root, FOLDER), { recursive: true });
  for (const name of changed) {
    writeFileSync(join(root, FOLDER, name), wanted[name]);
    console.log(`wrote ${FOLDER}/${name}`);
  }
  for (const name of leftOver) {
    rmSync(join(root, FOLDER, name));
    console.log(`removed ${FOLDER}/${name}`);
  }
  if (changed.length + leftOver.length === 0) console.log('The manifests are what the chart renders.');
}
