import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../up/testing/temporary-folder.ts';
import { checkGivenParts } from './given-parts.ts';

it('a start without parts of others asks nobody', async () => {
  await checkGivenParts({ databaseUrl: undefined, kubeconfigFile: undefined });
});

it('a database that does not answer is named, without its password', async () => {
  const check = checkGivenParts({ databaseUrl: 'postgres://user:hidden@127.0.0.1:1/berth', kubeconfigFile: undefined });
  const error = await check.then(
    () => undefined,
    (reason: Error) => reason,
  );
  expect(error?.message).toMatch(
    /DATABASE_URL: the database at 127\.0\.0\.1:1 does not answer \(.*ECONNREFUSED.*\); start it/,
  );
  expect(error?.message).not.toContain('hidden');
});

it('a kubeconfig that is missing, broken or of a cluster that is away is named, all in one answer with the database', async () => {
  const folder = temporaryFolder();
  await expect(
    checkGivenParts({ databaseUrl: 'postgres://127.0.0.1:1/x', kubeconfigFile: join(folder, 'none') }),
  ).rejects.toThrow(/DATABASE_URL.*\n.*--kubeconfig: .*none/);
  const away = join(folder, 'away');
  const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1', 'insecure-skip-tls-verify': true } };
  const user = { name: 'u', user: { token: 't' } };
  const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
  writeFileSync(
    away,
    JSON.stringify({ clusters: [cluster], users: [user], contexts: [context], 'current-context': 'x' }),
  );
  await expect(checkGivenParts({ databaseUrl: undefined, kubeconfigFile: away })).rejects.toThrow(
    /--kubeconfig: .*127\.0\.0\.1:1/,
  );
});
