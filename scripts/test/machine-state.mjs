// What a cluster could leave on a machine.
import { readdirSync, readFileSync } from 'node:fs';
import { run } from '../steps.mjs';

const QUESTIONS = {
  links: async () => readdirSync('/sys/class/net'),
  mounts: async () => readFileSync('/proc/self/mounts', 'utf8').split('\n'),
  addresses: () =>
    answer('ip', ['-o', 'address', 'show'], (line) => line.replace(/ +(valid_lft|preferred_lft) \S+/g, '')),
  routes: () => answer('ip', ['route', 'show', 'table', 'all']),
  'network namespaces': () => answer('ip', ['netns', 'list']),
  'filter rules': () => answer('nft', ['list', 'ruleset'], (line) => line.replace(/packets \d+ bytes \d+/, '')),
  'old filter rules': () => answer('iptables-save', [], (line) => line.replace(/^[#:].*/, '')),
};

/** Lines of what there is, by what they tell of. */
export async function machineState() {
  const entries = Object.entries(QUESTIONS).map(async ([what, ask]) => [what, await ask()]);
  return Object.fromEntries(await Promise.all(entries));
}

export function newOnMachine(before, after) {
  return Object.entries(after).flatMap(([what, lines]) => {
    const added = lines.filter((line) => line.trim() !== '' && !before[what].includes(line));
    return added.length > 0 ? [`left on the machine, ${what}: ${added.join('; ')}`] : [];
  });
}

/** Nothing where there is no such program, before and after alike. */
async function answer(program, parameters, clean = (line) => line) {
  const text = await run(program, parameters, { quiet: true }).catch(() => '');
  return text.split('\n').map(clean);
}
