import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { PlainError, run, step } from '../../scripts/steps.mjs';
import { AUDIT_POLICY } from './audit.ts';
import type { Built } from './build.ts';
import { type Cluster, kubeconfigPath, logPath } from './cluster.ts';
import { type ClusterFile, readSettings, writeClusterFile, writeSettings } from './cluster-file.ts';
import { containerTool, loadPauseImage } from './containers.ts';
import { ensureCredentials } from './credentials.ts';
import { writeNodeFiles } from './node-files.ts';
import { clusterObjects } from './objects.ts';
import type { Part } from './part.ts';
import { findPart, isPartHealthy, partsOf, startPart } from './parts.ts';
import type { Process } from './processes.ts';
import { ensureSandbox } from './sandbox.ts';
import { until } from './until.ts';

const READY_WITHIN_MS = 120_000;
const LOG_LINES_SHOWN = 5;

/**
 * Starts what does not run yet, so it also mends: a cluster of which something was killed, or whose start was cut off, is whole afterwards.
 * What is stopped goes on only by `continue`.
 */
export async function up(cluster: Cluster, built: Built): Promise<ClusterFile> {
  const known = await readSettings(cluster.dir);
  if (known && JSON.stringify(known) !== JSON.stringify(cluster)) {
    const end = `npm run cluster -- down --dir ${cluster.dir}`;
    throw new PlainError(
      `${cluster.dir} holds a cluster with other settings, ${JSON.stringify(known)}: end it first with ${end}`,
    );
  }
  await mkdir(join(cluster.dir, 'log'), { recursive: true });
  await writeSettings(cluster);
  const parts = partsOf(cluster, built);
  await step('Starting the control plane', async () => {
    await ensureCredentials(cluster);
    await writeFile(join(cluster.dir, 'audit-policy.yaml'), stringify(AUDIT_POLICY));
    const holder = cluster.node ? await prepareNode(cluster, built) : undefined;
    await startAll(
      cluster,
      parts.filter(({ first }) => first),
    );
    if (holder) await prepareContainers(holder, built);
    await allHealthy(
      cluster,
      parts.filter(({ first }) => first),
    );
  });
  await step('Starting the rest', async () => {
    const independent = parts.filter(({ needsDefinitions }) => !needsDefinitions);
    await Promise.all([startAll(cluster, independent), cluster.node && applyObjects(cluster, built)]);
    await startAll(cluster, parts);
    await allHealthy(cluster, parts);
    await usable(cluster, built);
  });
  return writeClusterFile(cluster, built);
}

async function prepareNode(cluster: Cluster, built: Built): Promise<Process> {
  await writeNodeFiles(cluster);
  for (const folder of ['volumes', 'tmp']) await mkdir(join(cluster.dir, folder), { recursive: true });
  const { holder } = await ensureSandbox(cluster, built.pause!);
  return holder;
}

async function prepareContainers(holder: Process, built: Built): Promise<void> {
  const answers = async () =>
    containerTool(holder, 'version').then(
      () => true,
      () => false,
    );
  if (!(await until(answers, 30_000))) throw new PlainError('containerd does not answer');
  await loadPauseImage(holder, built.pause!);
}

async function startAll(cluster: Cluster, parts: Part[]): Promise<void> {
  for (const part of parts) await startPart(cluster, part);
}

async function allHealthy(cluster: Cluster, parts: Part[]): Promise<void> {
  let waitingFor = parts;
  const dead = () => waitingFor.find((part) => !findPart(cluster, part));
  const settled = await until(async () => {
    const health = await Promise.all(waitingFor.map((part) => isPartHealthy(cluster, part)));
    waitingFor = waitingFor.filter((_, index) => !health[index]);
    return waitingFor.length === 0 || dead() !== undefined;
  }, READY_WITHIN_MS);
  const ended = dead();
  if (ended) throw new PlainError(`${ended.name} ended:\n${await lastLines(logPath(cluster, `${ended.name}.log`))}`);
  if (settled) return;
  const logs = waitingFor.map(async ({ name }) => `${name}:\n${await lastLines(logPath(cluster, `${name}.log`))}`);
  throw new PlainError(`not ready within ${READY_WITHIN_MS / 1000} s: ${(await Promise.all(logs)).join('\n')}`);
}

async function lastLines(path: string): Promise<string> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  return lines.slice(-LOG_LINES_SHOWN).join('\n');
}

async function applyObjects(cluster: Cluster, built: Built): Promise<void> {
  const file = join(cluster.dir, 'objects.json');
  const list = { apiVersion: 'v1', kind: 'List', items: clusterObjects(cluster) };
  await writeFile(file, JSON.stringify(list));
  const apply = ['apply', '--server-side', '--force-conflicts', '--field-manager=test-cluster'];
  const definitions = ['external-secrets.yaml', 'gateway-api.yaml'].map((name) => `--filename=${built[name]}`);
  await kubectl(cluster, built, [...apply, ...definitions]);
  await kubectl(cluster, built, ['wait', '--for=condition=Established', '--timeout=60s', ...definitions]);
  await kubectl(cluster, built, [...apply, `--filename=${file}`]);
}

function kubectl(cluster: Cluster, built: Built, parameters: string[]): Promise<string> {
  return run(built.kubectl!, ['--kubeconfig', kubeconfigPath(cluster), ...parameters]);
}

/** What a first pod, and whoever asks for all kinds of resources, would miss otherwise. */
async function usable(cluster: Cluster, built: Built): Promise<void> {
  const account = ['get', 'serviceaccounts', '--namespace', 'default', '--ignore-not-found', 'default', '-o', 'name'];
  await answers(cluster, built, { question: account, answer: 'serviceaccount/default' });
  if (!cluster.node) return;
  const ready = '-o=jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}';
  await answers(cluster, built, { question: ['get', 'nodes', ready], answer: 'True' });
  const available = '-o=jsonpath={.status.conditions[?(@.type=="Available")].status}';
  const metrics = ['get', 'apiservices', 'v1beta1.metrics.k8s.io', available];
  await answers(cluster, built, { question: metrics, answer: 'True' });
}

async function answers(
  cluster: Cluster,
  built: Built,
  { question, answer }: { question: string[]; answer: string },
): Promise<void> {
  const asExpected = async () => (await kubectl(cluster, built, question)).trim() === answer;
  if (await until(asExpected, READY_WITHIN_MS)) return;
  throw new PlainError(`"kubectl ${question.join(' ')}" does not say ${answer}: see ${logPath(cluster, '')}`);
}
