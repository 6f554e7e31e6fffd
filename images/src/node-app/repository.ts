import fs from 'node:fs';
import git from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { messageOf } from '../runtime/log.ts';
import type { AppSettings } from './app-settings.ts';

/** A Git repository by HTTP. The protocol is spoken here, so the machine needs no git. */
export type Repository = Pick<AppSettings, 'repository' | 'reference' | 'token'>;

export interface Commit {
  id: string;
  /** The branch or tag it was found by. */
  reference: string;
}

/** The address holds nothing that can be cloned; trying again would not help. */
export class RepositoryError extends Error {}

/** Which commit a branch or tag is at now. */
export async function findCommit(from: Repository): Promise<Commit> {
  const { repository: url, reference } = from;
  const refs = await git
    .listServerRefs({ http, url, symrefs: true, peelTags: true, ...authentication(from) })
    .catch((error: unknown) => explain(error, url));
  if (reference === '') {
    const head = refs.find(({ ref }) => ref === 'HEAD');
    if (!head) throw new RepositoryError(`${url} is empty: it has no commit yet`);
    return { id: head.oid, reference: head.target?.replace('refs/heads/', '') ?? 'HEAD' };
  }
  const found = [`refs/heads/${reference}`, `refs/tags/${reference}`].flatMap(
    (name) => refs.find(({ ref }) => ref === name) ?? [],
  )[0];
  if (found) return { id: found.peeled ?? found.oid, reference };
  const known = refs
    .filter(({ ref }) => /^refs\/(heads|tags)\//.test(ref))
    .map(({ ref }) => ref.split('/').slice(2).join('/'));
  throw new RepositoryError(
    `${url} has no branch or tag "${reference}"; it has ${known.slice(0, 20).join(', ') || 'none at all'}`,
  );
}

/** The files of that commit alone, without history. Returns the commit that was really got: the branch may have moved. */
export async function cloneInto(directory: string, from: Repository, commit: Commit): Promise<string> {
  const { repository: url } = from;
  const where = { fs, dir: directory };
  const reference = commit.reference === 'HEAD' ? {} : { ref: commit.reference };
  await git
    .clone({ ...where, http, url, singleBranch: true, depth: 1, ...reference, ...authentication(from) })
    .catch((error: unknown) => explain(error, url));
  return git.resolveRef({ ...where, ref: 'HEAD' });
}

/** GitHub, GitLab and others take a token as the password of any user. Asked once: a refusal must not be tried for ever. */
function authentication({ token }: Repository) {
  return {
    onAuth: () => (token === '' ? { cancel: true } : { username: 'token', password: token }),
    onAuthFailure: () => ({ cancel: true }),
  };
}

function explain(error: unknown, url: string): never {
  const { code, data } = error as { code?: string; data?: { statusCode?: number } };
  if (code === 'HttpError' || code === 'UserCanceledError') {
    const status = data?.statusCode ?? 401;
    const advice =
      status === 401 || status === 403 || status === 404
        ? 'check the address, and give a token when the repository is private'
        : 'the server that holds it has a problem';
    const ErrorType = status >= 500 ? Error : RepositoryError;
    throw new ErrorType(`${url} cannot be read (HTTP ${status}): ${advice}`);
  }
  throw new Error(`${url} cannot be read: ${messageOf(error)}`, { cause: error });
}
