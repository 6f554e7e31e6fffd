import pg from 'pg';

const OF_DEPLOYMENTS = ['deployments', 'host_claims', 'secrets', 'outbox', 'revisions'];

/** What the platform's database still knows of any deployment, in words. */
export async function leftRows(database: pg.ClientConfig): Promise<string[]> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    const left: string[] = [];
    for (const table of OF_DEPLOYMENTS) {
      const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${table}`);
      if ((rows[0]?.count ?? 0) > 0) left.push(`rows in ${table}`);
    }
    return left;
  } finally {
    await client.end();
  }
}
