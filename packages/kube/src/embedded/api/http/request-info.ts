/** What a request asks for, read from its method and path alone. */
export interface RequestInfo {
  path: string;
  query: URLSearchParams;
  method: string;
  /** For a path of no resource, the method in lower case. */
  verb: string;
  resource?: ResourcePath;
}

export interface ResourcePath {
  group: string;
  version: string;
  plural: string;
  /** '' for cluster scope or all namespaces. */
  namespace: string;
  name: string;
  subresource: string;
}

/** Undefined for a path that cannot be read: broken escapes, dots that climb. */
export function parseRequest(method: string, target: string): RequestInfo | undefined {
  const question = target.indexOf('?');
  const path = question < 0 ? target : target.slice(0, question);
  const query = new URLSearchParams(question < 0 ? '' : target.slice(question + 1));
  const parts = decodeParts(path);
  if (!parts) return undefined;
  const resource = parseResource(parts);
  return {
    path,
    query,
    method,
    verb: resource ? verbOf(method, resource, query) : method.toLowerCase(),
    ...(resource && { resource }),
  };
}

function decodeParts(path: string): string[] | undefined {
  if (!path.startsWith('/')) return undefined;
  try {
    const parts = path.split('/').slice(1).map(decodeURIComponent);
    if (parts.at(-1) === '') parts.pop();
    return parts.some((part) => part === '.' || part === '..' || part.includes('\u0000')) ? undefined : parts;
  } catch {
    // decodeURIComponent throws on a broken escape; the caller answers for the path.
    return undefined;
  }
}

function parseResource(parts: string[]): ResourcePath | undefined {
  const [root, ...rest] = parts;
  if (root === 'api' && rest.length >= 2) return parseBelowVersion('', rest[0]!, rest.slice(1));
  if (root === 'apis' && rest.length >= 3) return parseBelowVersion(rest[0]!, rest[1]!, rest.slice(2));
  return undefined;
}

/** `/namespaces/x/finalize` is a subresource of the namespace, `/namespaces/x/pods` a resource in it. */
function parseBelowVersion(group: string, version: string, parts: string[]): ResourcePath | undefined {
  if (parts.some((part) => part === '')) return undefined;
  const inNamespace =
    parts[0] === 'namespaces' &&
    parts.length >= 3 &&
    !(group === '' && NAMESPACE_SUBRESOURCES.has(parts[2]!) && parts.length === 3);
  const [plural, name = '', ...subresource] = inNamespace ? parts.slice(2) : parts;
  if (!plural) return undefined;
  const namespace = inNamespace ? parts[1]! : '';
  return { group, version, plural, namespace, name, subresource: subresource.join('/') };
}

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

function verbOf(method: string, { name }: ResourcePath, query: URLSearchParams): string {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    case 'GET':
    case 'HEAD':
      if (isTrue(query.get('watch'))) return 'watch';
      return name === '' ? 'list' : 'get';
    default:
      return method.toLowerCase();
  }
}

export function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1' || value === '';
}
