import { createKubeClient } from '@berth/kube/client/http-client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import { SettingsError } from '../configuration/environment.ts';
import type { UpOptions } from '../configuration/up-options.ts';
import { connectionProblem } from '../db/connection-problem.ts';
import type { Database } from '../db/database.ts';
import { openDatabase } from '../db/pool.ts';
import { databaseHost } from '../db/tls.ts';

/**
 * Asks the parts that somebody else runs (`DATABASE_URL`, `--kubeconfig`) before anything is started: a wrong address is
 * said at once and by its name, not by the log of a process that gave up. Throws a `SettingsError` with every problem.
 */
export async function checkGivenParts(
  options: Pick<UpOptions, 'databaseUrl' | 'kubeconfigFile'> & { databaseAuthority?: string | undefined },
): Promise<void> {
  const { databaseUrl, databaseAuthority, kubeconfigFile } = options;
  const problems = await Promise.all([databaseProblem(databaseUrl, databaseAuthority), clusterProblem(kubeconfigFile)]);
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0) throw new SettingsError('berth up', found);
}

async function databaseProblem(url: string | undefined, authority: string | undefined): Promise<string | undefined> {
  if (url === undefined) return undefined;
  let database: Database | undefined;
  try {
    database = openDatabase({ url, authority, applicationName: 'berth up', connections: 1 });
    await database.query('select 1');
    return undefined;
  } catch (error) {
    // It never became a connection: what is wrong is said about the address itself.
    if (!database) return reasonOf(error);
    const known = connectionProblem(error, url);
    if (known) return `DATABASE_URL: ${known.sentence}`;
    return `DATABASE_URL: the database at ${databaseHost(url)} cannot be used (${reasonOf(error)})`;
  } finally {
    await database?.close();
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
