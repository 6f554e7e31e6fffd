import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../scripts/steps.mjs';
import type { Process } from './processes.ts';
import { enter } from './sandbox.ts';

/** Of the node's own: its /run is not the machine's. */
export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';
/** As Kubernetes 1.34 names it, so that the official end-to-end suite finds it too. */
export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10.1';

export function containerTool(holder: Process, ...parameters: string[]): Promise<string> {
  const [program, ...inside] = enter(holder);
  const tool = ['ctr', '--address', CONTAINERD_SOCKET, '--namespace', 'k8s.io', ...parameters];
  return run(program!, [...inside, ...tool], { quiet: false });
}

/** Into the node, so that pods find them without a registry. OCI and docker archives. */
export async function loadImages(holder: Process, archives: string[]): Promise<void> {
  for (const archive of archives) await containerTool(holder, 'images', 'import', '--all-platforms', archive);
}

/** An image of one file, without a container engine: one layer, a configuration, a manifest. */
export async function loadPauseImage(holder: Process, pause: string): Promise<void> {
  if ((await containerTool(holder, 'images', 'list', '--quiet')).split('\n').includes(PAUSE_IMAGE)) return;
  const folder = await mkdtemp(join(tmpdir(), 'berth-pause-'));
  try {
    await mkdir(join(folder, 'root'));
    await copyFile(pause, join(folder, 'root/pause'));
    await chmod(join(folder, 'root/pause'), 0o755);
    await run('tar', [
      '--create',
      '--owner=0',
      '--group=0',
      '--mtime=@0',
      '--file',
      join(folder, 'layer.tar'),
      '--directory',
      join(folder, 'root'),
      'pause',
    ]);
    const layer = `sha256:${createHash('sha256')
      .update(await readFile(join(folder, 'layer.tar')))
      .digest('hex')}`;
    const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
    const configuration = {
      architecture,
      os: 'linux',
      config: { Entrypoint: ['/pause'], User: '65535:65535' },
      rootfs: { type: 'layers', diff_ids: [layer] },
    };
    await writeFile(join(folder, 'config.json'), JSON.stringify(configuration));
    const manifest = [{ Config: 'config.json', RepoTags: [PAUSE_IMAGE], Layers: ['layer.tar'] }];
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
    const archive = join(folder, 'pause.tar');
    await run('tar', [
      '--create',
      '--file',
      archive,
      '--directory',
      folder,
      'manifest.json',
      'config.json',
      'layer.tar',
    ]);
    await loadImages(holder, [archive]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
