import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { PlainError, run, step } from '../../scripts/steps.mjs';

/** What the machine must have before anything is built or started, each with the Debian package that brings it. */
interface Tool {
  /** A program on the path, or an absolute path. */
  program: string;
  package: string;
}

const FOR_BUILDING: Tool[] = [{ program: 'go', package: 'golang-go' }];
const FOR_NODE: Tool[] = [
  { program: 'containerd', package: 'containerd' },
  { program: 'ctr', package: 'containerd' },
  { program: 'runc', package: 'runc' },
  { program: '/usr/lib/cni/bridge', package: 'containernetworking-plugins' },
  { program: 'iptables', package: 'iptables' },
  { program: 'nft', package: 'nftables' },
  { program: 'ipset', package: 'ipset' },
  { program: 'conntrack', package: 'conntrack' },
  { program: 'ip', package: 'iproute2' },
  { program: 'sysctl', package: 'procps' },
  { program: 'mount', package: 'mount' },
  { program: 'nsenter', package: 'util-linux' },
  { program: 'tar', package: 'tar' },
];
/** The first Go that fetches a newer one where that is needed. */
const FETCHES_NEWER = 21;
// Root's tools are often not on the path of a shell.
const MORE_FOLDERS = ['/usr/local/go/bin', '/usr/sbin', '/sbin'];

export interface Wanted {
  building: boolean;
  node: boolean;
  /** Installs what is missing instead of naming it. */
  install: boolean;
}

export function withSystemFolders(path: string): string {
  const known = path.split(delimiter);
  return [...known, ...MORE_FOLDERS.filter((folder) => !known.includes(folder))].join(delimiter);
}

export async function requireMachine({ building, node, install }: Wanted): Promise<void> {
  if (process.platform !== 'linux')
    throw new PlainError('the cluster for tests needs Linux: run it in a virtual machine');
  if (node && process.getuid?.() !== 0) {
    throw new PlainError(
      'a cluster with a node needs root: sudo npm run cluster -- up, or --no-node for a control plane alone',
    );
  }
  const missing = await packagesMissing([...(building ? FOR_BUILDING : []), ...(node ? FOR_NODE : [])]);
  if (missing.length > 0) await getPackages(missing, install);
  if (building) await requireGo();
}

async function getPackages(missing: string[], install: boolean): Promise<void> {
  const command = `apt-get install --yes --no-install-recommends ${missing.join(' ')}`;
  if (!install) throw new PlainError(`missing on this machine: ${missing.join(', ')}. Get it with: sudo ${command}`);
  await step(`Installing ${missing.join(', ')}`, async () => {
    // RUNLEVEL: where there is systemd, the packages are not to start services of the whole machine.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    await run('apt-get', ['update', '--quiet'], { env });
    await run('apt-get', command.split(' ').slice(1), { env });
  });
}

async function requireGo(): Promise<void> {
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(await run('go', ['version'])) ?? [];
  if (Number(major) > 1 || Number(minor) >= FETCHES_NEWER) return;
  throw new PlainError(
    `Go ${major}.${minor} is too old to build Kubernetes: install Go 1.${FETCHES_NEWER} or newer from https://go.dev/dl; it gets by itself what it needs`,
  );
}

async function packagesMissing(tools: Tool[]): Promise<string[]> {
  const missing = new Set<string>();
  for (const tool of tools) if (!(await isInstalled(tool.program))) missing.add(tool.package);
  return [...missing];
}

async function isInstalled(program: string): Promise<boolean> {
  const places = program.startsWith('/')
    ? [program]
    : (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program));
  const found = await Promise.all(
    places.map((place) =>
      access(place, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
