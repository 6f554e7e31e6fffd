import { BerthError, invalidInput } from '@berth/core/errors';
import type { Me } from '@berth/core/tenant';
import type { Database, Transaction } from '../db/database.ts';
import type { HandlerContext, Handlers } from '../http/handler.ts';
import type { TenantMaker } from '../tenant/create-organization.ts';
import { developmentUser } from './accounts.ts';
import { createLogin, type LoginMaker } from './login.ts';
import type { LoginCookie } from './login-cookie.ts';
import { deleteLogin, deleteOtherLogins } from './login-repository.ts';
import { describeMe } from './me.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { countSignInAttempt, forgiveSignInAttempts } from './sign-in-limit.ts';
import { findUserByEmail, findUserById, type UserRow, updatePasswordHash } from './user-repository.ts';

type LoginRouteName = 'signIn' | 'signInForDevelopment' | 'signOut' | 'getMe' | 'changePassword';

export interface LoginDependencies extends TenantMaker, LoginMaker {
  database: Database;
  cookie: LoginCookie;
  /** Whoever reaches the server is dev@localhost: only when nobody but this machine can reach it. */
  devSignIn: boolean;
}

export function loginHandlers(dependencies: LoginDependencies): Handlers<LoginRouteName> {
  const { database, cookie, clock } = dependencies;
  return {
    async signIn(context) {
      const { body, request, audit } = context;
      audit.target(body.email);
      const attempt = { address: request.address, email: body.email };
      await countSignInAttempt(database, attempt, clock());
      const user = await findUserByEmail(database, body.email);
      const right = await verifyPassword(user?.passwordHash, body.password);
      if (!user || !right) {
        throw new BerthError('bad_credentials', 'The e-mail or the password is not right; check both and try again');
      }
      return context.transaction(async (transaction) => {
        await forgiveSignInAttempts(transaction, attempt);
        return beginLogin(dependencies, context, { transaction, user });
      });
    },

    async signInForDevelopment(context) {
      if (!dependencies.devSignIn) {
        throw new BerthError('not_found', 'Signing in without a password is off here; use e-mail and password');
      }
      return context.transaction(async (transaction) => {
        const user = await developmentUser(transaction, dependencies);
        return beginLogin(dependencies, context, { transaction, user });
      });
    },

    async signOut({ actor, transaction, setHeader }) {
      const { kind, id } = actor.authentication;
      if (kind === 'token') {
        throw new BerthError('invalid_input', 'An API token does not sign out; revoke it with DELETE /api/tokens/:id');
      }
      await transaction((tx) => deleteLogin(tx, id));
      setHeader('set-cookie', cookie.clear());
      return undefined;
    },

    getMe: ({ actor }) => describeMe(database, actor),

    async changePassword({ actor, body, request, audit, transaction }) {
      const attempt = { address: request.address, email: actor.email };
      await countSignInAttempt(database, attempt, clock());
      const user = await findUserById(database, actor.userId);
      if (!(await verifyPassword(user?.passwordHash, body.current))) {
        throw invalidInput('The password', [{ path: 'current', message: 'is not your password' }]);
      }
      const hash = await hashPassword(body.next);
      await transaction(async (tx) => {
        await updatePasswordHash(tx, actor.userId, hash);
        const ended = await deleteOtherLogins(tx, actor.userId, actor.authentication.id);
        await forgiveSignInAttempts(tx, attempt);
        audit.detail(`password; ${ended} other logins ended`);
      });
      return undefined;
    },
  };
}

async function beginLogin(
  dependencies: LoginDependencies,
  { request, audit, setHeader }: HandlerContext<'signIn' | 'signInForDevelopment'>,
  { transaction, user }: { transaction: Transaction; user: UserRow },
): Promise<Me> {
  const login = await createLogin(transaction, dependencies, {
    userId: user.id,
    address: request.address,
    userAgent: request.header('user-agent'),
  });
  audit.by({ userId: user.id, email: user.email });
  setHeader('set-cookie', dependencies.cookie.set(login.secret, login.expiresAt));
  return describeMe(transaction, { ...user, userId: user.id, authentication: { kind: 'login', id: login.id } });
}
