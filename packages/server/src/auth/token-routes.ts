import { BerthError } from '@berth/core/errors';
import type { Token } from '@berth/core/tenant';
import type { Database } from '../db/database.ts';
import type { Handlers } from '../http/handler.ts';
import { lockUser } from '../tenant/repository.ts';
import { newToken, secretHash } from './credentials.ts';
import type { LoginMaker } from './login.ts';
import { deleteToken, findTokens, insertToken, type TokenRow } from './login-repository.ts';

const MAX_TOKENS = 100;
const DAY_MS = 86_400_000;

export function tokenHandlers(
  dependencies: LoginMaker & { database: Database },
): Handlers<'listTokens' | 'createToken' | 'deleteToken'> {
  const { database, clock, newId, randomBytes } = dependencies;
  return {
    async listTokens({ actor }) {
      return { items: (await findTokens(database, actor.userId)).map(presentToken) };
    },

    createToken: ({ actor, body, audit, transaction }) =>
      transaction(async (tx) => {
        await lockUser(tx, actor.userId);
        const used = (await findTokens(tx, actor.userId)).length;
        if (used >= MAX_TOKENS) {
          throw new BerthError(
            'limit_reached',
            `You have ${used} API tokens, the most there may be; revoke some first`,
            {
              limit: { resource: 'tokens', used, allowed: MAX_TOKENS },
            },
          );
        }
        const secret = newToken(randomBytes);
        const now = clock();
        const token: TokenRow = {
          id: newId(),
          userId: actor.userId,
          name: body.name,
          createdAt: now,
          expiresAt:
            body.expiresInDays === undefined ? undefined : new Date(now.getTime() + body.expiresInDays * DAY_MS),
        };
        await insertToken(tx, { ...token, secretHash: secretHash(secret) });
        audit.target(token.id);
        audit.detail(token.name);
        return { ...presentToken(token), token: secret };
      }),

    deleteToken: ({ actor, params, transaction }) =>
      transaction(async (tx) => {
        if (await deleteToken(tx, params.id, actor.userId)) return undefined;
        throw new BerthError('not_found', 'You have no such API token');
      }),
  };
}

function presentToken(row: TokenRow): Token {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString(),
  };
}
