import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KubeClient } from '@berth/kube/client/client';
import { createKubeClient } from '@berth/kube/client/http-client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import { type Berth, berthAt, readPostmaster, tail, testFolder } from './berth.ts';
import { type CommandPlace, runBerth } from './berth-command.ts';
import { objectsOfDeployments, podsOfDeployments } from './cluster-objects.ts';
import type { Platform } from './platform.ts';
import { leftRows } from './platform-rows.ts';
import { signInByRest } from './rest-api.ts';
import { podProcesses, volumeFolders } from './truth.ts';

const run = promisify(execFile);

export interface LaptopPlatform extends Platform {
  /** The processes behind it, for files that are labelled as the laptop's own. */
  berth: Berth;
}

/** A whole Berth of the test's own, started as a user starts it; whoever reaches it is signed in. */
export async function startLaptopPlatform(options: {
  name: string;
  port: number;
  root: string;
  kubectlProgram: string;
}): Promise<LaptopPlatform> {
  const { name, port, root, kubectlProgram } = options;
  const folder = testFolder(`berth-${name}-`);
  const berth = berthAt({ main: join(root, 'dist/main.js'), data: join(folder, 'data'), port });
  await berth.start();
  const kubeconfig = (JSON.parse(readFileSync(join(berth.data, 'berth.json'), 'utf8')) as { kubeconfig: string })
    .kubeconfig;
  const client = createKubeClient(await loadKubeConfig({ path: kubeconfig }));
  const command: CommandPlace = { root, url: berth.url, configuration: join(folder, 'config') };
  return {
    berth,
    url: berth.url,
    domain: 'localhost',
    account: 'dev@localhost',
    folder,
    nodeProgram: process.execPath,
    machineAddress: '127.0.0.1',
    browserArguments: [],
    api: await signInByRest(berth.url, undefined),
    app: (app, path = '/') => `http://${app}.localhost:${port}${path}`,
    async signIn(page) {
      await page.goto('/');
      await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor();
    },
    berthCommand: (...args) => runBerth(command, args),
    async signInCommand() {
      await runBerth(command, ['login']);
    },
    kubectl: async (...args) => (await run(kubectlProgram, ['--kubeconfig', kubeconfig, ...args])).stdout,
    async restart() {
      await berth.stop();
      await berth.start();
    },
    async kill(role) {
      const victim = berth.roles().get(role);
      if (!victim) throw new Error(`there is no process of ${role}`);
      process.kill(victim.pid, 'SIGKILL');
    },
    pods: () => podsOfDeployments(client),
    serverMetrics: () => readServerMetrics(berth),
    left: () => leftOnLaptop(berth, client),
    describe: async () => `--- end of the log of berth up\n${tail(berth.log)}`,
    async end() {
      await client.close();
      await berth.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function leftOnLaptop(berth: Berth, client: KubeClient): Promise<string[]> {
  const postmaster = readPostmaster(berth.data);
  if (!postmaster) throw new Error('PostgreSQL left no postmaster.pid in the data directory');
  const database = { host: postmaster.socketDirectory, port: postmaster.port, database: 'berth', user: 'berth' };
  return [
    ...(await objectsOfDeployments(client)).map(({ resource, object }) => `${resource} ${object.metadata.name}`),
    ...(await leftRows(database)),
    ...podProcesses(berth).map(({ uid, process }) => `process ${process.pid} of pod ${uid}`),
    ...volumeFolders(berth).map((name) => `volume ${name} on the disk`),
  ];
}

function readServerMetrics({ data }: Berth): Promise<string> {
  const { internal } = JSON.parse(readFileSync(join(data, 'ports.json'), 'utf8')) as { internal: number };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: internal, path: '/metrics', rejectUnauthorized: false };
    get(options, async (response) => {
      try {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve(text);
      } catch (error) {
        reject(error);
      }
    }).on('error', reject);
  });
}
