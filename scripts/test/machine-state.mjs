// What a cluster could leave on a machine.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { run } from '../steps.mjs';

/** Those of the whole machine that a kubelet or a proxy would like to change. */
const SETTINGS = [
  'net.ipv4.ip_forward',
  'net.ipv4.conf.all.rp_filter',
  'net.netfilter.nf_conntrack_max',
  'vm.overcommit_memory',
  'vm.panic_on_oom',
  'kernel.panic',
  'kernel.panic_on_oops',
];

const QUESTIONS = {
  links: async () => readdirSync('/sys/class/net'),
  mounts: async () => readFileSync('/proc/self/mounts', 'utf8').split('\n'),
  addresses: () =>
    answer('ip', ['-o', 'address', 'show'], (line) => line.replace(/ +(valid_lft|preferred_lft) \S+/g, '')),
  routes: () => answer('ip', ['route', 'show', 'table', 'all']),
  'network namespaces': () => answer('ip', ['netns', 'list']),
  'filter rules': () => answer('nft', ['list', 'ruleset'], (line) => line.replace(/packets \d+ bytes \d+/, '')),
  'old filter rules': () => answer('iptables-save', [], (line) => line.replace(/^[#:].*/, '')),
  sets: () => answer('ipset', ['list', '-name']),
  settings: () => answer('sysctl', SETTINGS),
  'control groups': async () => controlGroups('/sys/fs/cgroup', 2),
  programs: async (cluster) => programsOf(cluster),
};

/** Lines of what there is, by what they tell of. Of programs, those that the cluster of that folder started. */
export async function machineState(cluster) {
  const entries = Object.entries(QUESTIONS).map(async ([what, ask]) => [what, await ask(cluster)]);
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

/** The upper ones: what is below goes with them. */
function controlGroups(folder, depth) {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const paths = names.map(({ name }) => `${folder}/${name}`);
  return depth === 1 ? paths : [...paths, ...paths.flatMap((path) => controlGroups(path, depth - 1))];
}

function programsOf(cluster) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => markedProgram(pid, `BERTH_CLUSTER_OF=${cluster}`));
}

/** Nothing for what has ended meanwhile. */
function markedProgram(pid, mark) {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark)) return [];
    return [`${basename(readlinkSync(`/proc/${pid}/exe`))} (${pid})`];
  } catch {
    return [];
  }
}
