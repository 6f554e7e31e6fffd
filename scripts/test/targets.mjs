// The same files are tried on a laptop and on a cluster. What each of them made sure of is kept, and must be the same.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashOfSources } from '../sources.mjs';
import { root } from '../steps.mjs';

/** About what only a laptop has: signing in without a password, programs that outlive what started them. */
export const LAPTOP_ONLY = '.laptop.test.ts';

const FOLDERS = ['browser', 'load', 'support', 'templates'];
const fileOf = (target, stage) => join(root, 'test-results/targets', `${target}-${stage}.json`);

export function keepTests(target, stage, tests) {
  const file = fileOf(target, stage);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ sources: hashOfTests(), tests }, undefined, 2));
}

/** Undefined when that stage has not passed there with the sources as they are. */
export function keptTests(target, stage) {
  const file = fileOf(target, stage);
  if (!existsSync(file)) return undefined;
  const { sources, tests } = JSON.parse(readFileSync(file, 'utf8'));
  return sources === hashOfTests() && tests.every(({ status }) => status === 'passed') ? tests : undefined;
}

/** What is not the same, in words. */
export function targetDifferences(onLaptop, onCluster) {
  const keyOf = ({ file, name }) => `${file}: ${name}`;
  const index = (tests) =>
    new Map(tests.filter(({ file }) => !file.endsWith(LAPTOP_ONLY)).map((test) => [keyOf(test), test]));
  const [laptop, cluster] = [index(onLaptop), index(onCluster)];
  const missing = (from, to, where) =>
    [...from.keys()].filter((key) => !to.has(key)).map((key) => `${key}: not ${where}`);
  const uneven = [...laptop].flatMap(([key, { assertions }]) => {
    const other = cluster.get(key);
    if (!other || other.assertions === assertions) return [];
    return [`${key}: ${assertions} things were made sure of on the laptop, ${other.assertions} on the cluster`];
  });
  return [...missing(laptop, cluster, 'on the cluster'), ...missing(cluster, laptop, 'on the laptop'), ...uneven];
}

/** Of what is tried and of what tries it. */
function hashOfTests() {
  const hash = createHash('sha256').update(hashOfSources());
  for (const folder of FOLDERS) {
    const files = readdirSync(join(root, 'test', folder), { recursive: true, withFileTypes: true });
    const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const path of paths.sort()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}
