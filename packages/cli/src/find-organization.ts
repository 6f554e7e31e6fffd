import { idSchema } from '@berth/core/ids';
import type { Connection } from './connection.ts';
import { CliError, EXIT_CODES } from './exit-codes.ts';

/** An administrator need not be a member: what is no name of theirs is taken for an id, and the server says whether it is one. */
export async function findOrganizationId(connection: Connection, wanted: string): Promise<string> {
  const { organizations } = await connection.client.call('getMe');
  const found = organizations.filter(({ id, name }) => id === wanted || name === wanted);
  const [organization] = found;
  if (organization && found.length === 1) return organization.id;
  if (organization) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new CliError(EXIT_CODES.usage, `several organizations are named "${wanted}": write the id, one of ${ids}`);
  }
  if (idSchema.safeParse(wanted).success) return wanted;
  const names = organizations.map(({ name }) => name).join(', ');
  throw new CliError(
    EXIT_CODES.notFound,
    `you are in no organization "${wanted}"; yours are ${names}, and any other goes by its id`,
  );
}
