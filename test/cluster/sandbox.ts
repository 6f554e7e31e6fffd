import { access, mkdir, readdir, readlink, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PlainError, run } from '../../scripts/steps.mjs';
import { addressesOf, CLUSTER_DOMAIN, type Cluster, logPath } from './cluster.ts';
import { findProcesses, marksOf, type Process, signal, startDetached } from './processes.ts';
import { until } from './until.ts';

/**
 * The node's own namespaces for network, mounts and processes, held open by one process. All that the node does to routes, filter rules,
 * sysctls and mounts stays inside and ends with that process, by the kernel's own doing. What is left on the machine is one link, joined to the
 * node's, and one folder of cgroups in each hierarchy; both are named after the network.
 */
export const HOLDER = 'namespaces';
const CGROUPS = '/sys/fs/cgroup';
const INNER_LINK = 'machine';

// Folders that programs write to whatever they are told get an empty one of the node's own.
const OWN_FOLDERS = ['/run', '/var/lib', '/var/log'];

/**
 * What a kubelet sets for the whole machine, by what it sets it to. Inside, each reads as set already, so that nothing is: the machine's own
 * settings stay as they are.
 */
const KUBELET_SETTINGS = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
};

/** Of the link and of the cgroups. */
export function sandboxName({ network }: Pick<Cluster, 'network'>): string {
  return `berth-${network.replace('.', '-')}`;
}

export function findHolder(cluster: Cluster): Process | undefined {
  return findProcesses(cluster.dir).find(({ part, program }) => part === HOLDER && program === 'pause');
}

/** What a command must begin with to run inside. */
export function enter(holder: Process): string[] {
  return ['nsenter', '--target', String(holder.pid), '--net', '--mount', '--pid', '--'];
}

/** The holder, which is started unless it is there. True when it is new: then nothing runs inside yet. */
export async function ensureSandbox(cluster: Cluster, pause: string): Promise<{ holder: Process; isNew: boolean }> {
  const known = findHolder(cluster);
  if (known) {
    await joinNetworks(cluster, known);
    return { holder: known, isNew: false };
  }
  await removeSandbox(cluster);
  await refuseTakenNetwork(cluster);
  await ensureCgroups(cluster);
  await writeFile(join(cluster.dir, 'resolv.conf'), resolverOf(cluster));
  await startDetached({
    command: [
      'unshare',
      '--net',
      '--mount',
      '--pid',
      '--fork',
      '--propagation',
      'private',
      'sh',
      '-euc',
      inside(cluster, pause),
    ],
    environment: { ...marksOf(cluster.dir, HOLDER), PATH: process.env.PATH ?? '' },
    directory: cluster.dir,
    log: logPath(cluster, `${HOLDER}.log`),
  });
  await until(() => findHolder(cluster) !== undefined, 10_000);
  const holder = findHolder(cluster);
  if (!holder) throw new PlainError(`no namespaces for the node: see ${logPath(cluster, `${HOLDER}.log`)}`);
  await joinNetworks(cluster, holder);
  return { holder, isNew: true };
}

/** Run by the first process inside, which then becomes the holder. */
function inside({ dir }: Cluster, pause: string): string {
  return [
    'mount -t proc proc /proc',
    'mount --make-rshared /',
    // Found before /run is hidden: it may be a link into it.
    'resolver=$(readlink -m /etc/resolv.conf)',
    ...OWN_FOLDERS.map((folder) => `mount -t tmpfs -o mode=755 tmpfs ${folder}`),
    'mkdir -p /run/netns /run/lock /var/lib/kubelet /var/lib/cni /var/log/pods /var/log/containers',
    'case $resolver in /run/*) mkdir -p "$(dirname "$resolver")" && touch "$resolver" ;; esac',
    `[ ! -f "$resolver" ] || mount --bind '${dir}/resolv.conf' "$resolver"`,
    ...Object.entries(KUBELET_SETTINGS).flatMap(([name, value]) => {
      const file = `/run/settings/${name.replaceAll('/', '.')}`;
      return [`mkdir -p /run/settings && echo ${value} >${file}`, `mount --bind ${file} /proc/sys/${name}`];
    }),
    'ip link set lo up',
    'sysctl -qw net.ipv4.ip_forward=1',
    `exec '${pause}'`,
  ].join('\n');
}

function resolverOf(cluster: Cluster): string {
  return `nameserver ${addressesOf(cluster).node}\nsearch svc.${CLUSTER_DOMAIN} ${CLUSTER_DOMAIN}\noptions ndots:5 timeout:2 attempts:2\n`;
}

/** Joins the machine's network with the node's, unless that is done. */
async function joinNetworks(cluster: Cluster, holder: Process): Promise<void> {
  const link = sandboxName(cluster);
  const { node, host, everything } = addressesOf(cluster);
  if (await isThere(`/sys/class/net/${link}`)) return;
  const ip = (...parameters: string[]) => run('ip', parameters);
  const [program, ...parameters] = enter(holder);
  const ipInside = (...more: string[]) => run(program!, [...parameters, 'ip', ...more]);
  const passing = `${link}-x`;
  await ip('link', 'add', passing, 'type', 'veth', 'peer', 'name', INNER_LINK, 'netns', String(holder.pid));
  await ipInside('addr', 'add', `${node}/32`, 'peer', host, 'dev', INNER_LINK);
  await ipInside('link', 'set', INNER_LINK, 'up');
  await ipInside('route', 'replace', 'default', 'via', host);
  await ip('addr', 'add', `${host}/32`, 'peer', node, 'dev', passing);
  await ip('link', 'set', passing, 'name', link, 'up');
  await ip('route', 'replace', everything, 'via', node);
}

async function refuseTakenNetwork(cluster: Cluster): Promise<void> {
  const routes = await run('ip', ['-4', 'route', 'show']);
  const taken = routes.split('\n').find((line) => line.startsWith(`${cluster.network}.`));
  if (!taken) return;
  throw new PlainError(
    `the network ${cluster.network}.0.0/16 is in use on this machine (${taken.trim()}): end the other cluster, or choose one with --network 10.N`,
  );
}

/** Whatever of it is there, also after an end that nobody chose. */
export async function removeSandbox(cluster: Cluster): Promise<void> {
  const holders = () => findProcesses(cluster.dir).filter(({ part }) => part === HOLDER);
  for (const { pid } of holders()) signal(pid, 'SIGKILL');
  if (!(await until(() => holders().length === 0, 20_000))) throw new Error('the namespaces of the node do not end');
  const link = sandboxName(cluster);
  for (const name of [link, `${link}-x`]) {
    if (await isThere(`/sys/class/net/${name}`)) await run('ip', ['link', 'del', name]);
  }
  await removeCgroups(cluster);
}

/** One of version 2, or one for each controller of version 1, of which some have a second name that is a link. */
async function cgroupsOf(cluster: Cluster): Promise<string[]> {
  if (await isThere(join(CGROUPS, 'cgroup.controllers'))) return [join(CGROUPS, sandboxName(cluster))];
  const entries = await readdir(CGROUPS, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(CGROUPS, name, sandboxName(cluster)));
}

/** Before the kubelet looks for the one that it is told of. */
async function ensureCgroups(cluster: Cluster): Promise<void> {
  for (const cgroup of await cgroupsOf(cluster)) await mkdir(cgroup, { recursive: true });
}

async function removeCgroups(cluster: Cluster): Promise<void> {
  for (const cgroup of await cgroupsOf(cluster)) await removeCgroup(cgroup);
}

/** A cgroup's files go with it; it can be removed once nothing is in it. */
async function removeCgroup(folder: string): Promise<void> {
  if (!(await isThere(folder))) return;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeCgroup(join(folder, entry.name));
  }
  let failure: unknown;
  const removed = await until(async () => {
    try {
      await rmdir(folder);
      return true;
    } catch (error) {
      failure = error;
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  }, 10_000);
  if (!removed) throw failure;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Which network namespace a process is in; for tests. */
export function networkNamespace(pid: number): Promise<string> {
  return readlink(`/proc/${pid}/ns/net`);
}
