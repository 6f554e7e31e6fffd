import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PlainError, root } from '../steps.mjs';
import { readJson } from './read-json.ts';

export interface PackagePlace {
  from: string;
  /** Below `node_modules`. */
  to: string;
}

type Dependencies = Record<string, string>;

/**
 * The npm packages that some of our packages need when they run, and those that these need, found as Node finds them. Returns where each
 * lies and its place below `node_modules`.
 */
export function productionPackages(names: string[], without: string[] = []): PackagePlace[] {
  const found = new Map<string, PackagePlace>();
  const asked = names.map((name) => join(root, 'packages', name));
  while (asked.length > 0) {
    const directory = asked.pop()!;
    const { dependencies = {}, optionalDependencies = {} } = readJson<{
      dependencies?: Dependencies;
      optionalDependencies?: Dependencies;
    }>(join(directory, 'package.json'));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const from = without.includes(name) ? undefined : findPackage(name, directory);
      if (
        from === undefined &&
        Object.hasOwn(dependencies, name) &&
        !Object.hasOwn(optionalDependencies, name) &&
        !without.includes(name)
      ) {
        throw new PlainError(
          `the package ${name}, which ${relative(root, directory)} needs, is not installed: run npm ci`,
        );
      }
      if (from === undefined || found.has(from) || from.startsWith(join(root, 'packages'))) continue;
      found.set(from, { from, to: relative(join(root, 'node_modules'), from) });
      asked.push(from);
    }
  }
  return withoutNested([...found.values()]).sort((one, other) => (one.to < other.to ? -1 : 1));
}

/** Of a package's files, by their path below `node_modules`: not what is there for people, for compilers or for its own tests. */
export function isNeededToRun(path: string): boolean {
  const inside = path.replace(/^(.*node_modules\/)?(@[^/]+\/)?[^/]+\//, '');
  if (/^licen[cs]e|^notice/i.test(inside)) return true;
  return !FOR_PEOPLE.test(inside) && !FOLDERS_FOR_PEOPLE.test(inside) && !path.startsWith('.');
}

const FOR_PEOPLE = /\.(d\.[cm]?ts|[cm]?tsx?|map|md|markdown|html|ya?ml)$|(^|\/)\.[^/]*$|(^|\/)(testdata|__tests__)\//i;
const FOLDERS_FOR_PEOPLE = /^(\.github|bench|benchmarks?|docs|examples?|man|tests?)\//;

function findPackage(name: string, directory: string): string | undefined {
  for (let at = directory; at.startsWith(root.replace(/\/$/, '')); at = dirname(at)) {
    const place = join(at, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return place;
  }
  return undefined;
}

/** A package inside another's folder comes with it. */
function withoutNested(packages: PackagePlace[]): PackagePlace[] {
  return packages.filter(({ from }) => !packages.some((other) => from.startsWith(`${other.from}/`)));
}
