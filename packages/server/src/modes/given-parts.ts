import { createKubeClient } from '@berth/kube/client/http-client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import { SettingsError } from '../configuration/environment.ts';
import type { UpOptions } from '../configuration/up-options.ts';
import { openDatabase } from '../db/pool.ts';

/**
 * Asks the parts that somebody else runs (`DATABASE_URL`, `--kubeconfig`) before anything is started: a wrong address is
 * said at once and by its name, not by the log of a process that gave up. Throws a `SettingsError` with every problem.
 */
export async function checkGivenParts(options: Pick<UpOptions, 'databaseUrl' | 'kubeconfigFile'>): Promise<void> {
  const problems = await Promise.all([databaseProblem(options.databaseUrl), clusterProblem(options.kubeconfigFile)]);
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0) throw new SettingsError('berth up', found);
}

async function databaseProblem(url: string | undefined): Promise<string | undefined> {
  if (url === undefined) return undefined;
  const database = openDatabase({ url, applicationName: 'berth up', connections: 1 });
  try {
    await database.query('select 1');
    return undefined;
  } catch (error) {
    const { host } = new URL(url);
    return `DATABASE_URL: the database at ${host || 'that address'} cannot be used (${reasonOf(error)}); start it, or correct the address, the user or the password`;
  } finally {
    await database.close();
  }
}

async function clusterProblem(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const client = createKubeClient(await loadKubeConfig({ path: file }));
    try {
      const answer = await client.raw('GET', '/version');
      await answer.text();
      return answer.status < 400
        ? undefined
        : `--kubeconfig: the cluster at ${client.server} answers ${answer.status} to this file's user`;
    } finally {
      await client.close();
    }
  } catch (error) {
    return `--kubeconfig: ${reasonOf(error)}`;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
