/** A request below one server, its body not yet text. */
export interface Request {
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

export const get = (path: string): Request => ({ method: 'GET', path });
export const post = (path: string, body: unknown): Request => ({ method: 'POST', path, body });
export const put = (path: string, body: unknown): Request => ({ method: 'PUT', path, body });
export const remove = (path: string, options?: object): Request => ({
  method: 'DELETE',
  path,
  ...(options && { body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options } }),
});
const patch =
  (type: string) =>
  (path: string, body: unknown): Request => ({
    method: 'PATCH',
    path,
    body,
    headers: { 'content-type': type },
  });
export const merge = patch(MERGE);
export const strategic = patch(STRATEGIC);
export const jsonPatch = patch(JSON_PATCH);

export function apply(path: string, manager: string, body: unknown): Request {
  return patch(APPLY)(`${path}?fieldManager=${manager}`, body);
}

export function forced(path: string, manager: string, body: unknown): Request {
  return patch(APPLY)(`${path}?fieldManager=${manager}&force=true`, body);
}

/** As kubectl lists. */
export const table = (path: string): Request => ({ method: 'GET', path, headers: { accept: TABLE } });

/** The same in the name of somebody else. */
export function as(user: string, request: Request): Request {
  return { ...request, headers: { ...request.headers, 'impersonate-user': user } };
}

/** Paths of the collections of one namespace. */
export function pathsIn(namespace: string) {
  const group = (prefix: string) => (plural: string) => `${prefix}/namespaces/${namespace}/${plural}`;
  return {
    core: group('/api/v1'),
    apps: group('/apis/apps/v1'),
    batch: group('/apis/batch/v1'),
    networking: group('/apis/networking.k8s.io/v1'),
    rbac: group('/apis/rbac.authorization.k8s.io/v1'),
    leases: group('/apis/coordination.k8s.io/v1'),
    discovery: group('/apis/discovery.k8s.io/v1'),
    of: (groupVersion: string) => group(`/apis/${groupVersion}`),
  };
}
