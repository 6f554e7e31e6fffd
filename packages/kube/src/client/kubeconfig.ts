import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import type { CredentialSource, KubeConfig } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { createExecCredentials, type ExecPlugin } from './exec-credentials.ts';
import { Field, KubeConfigError } from './kubeconfig-field.ts';
import { createTokenFile } from './token-file.ts';

export interface KubeConfigOptions {
  /** A kubeconfig file. */
  path?: string;
  /** The context to use instead of the file's current one. */
  context?: string;
  /** The service account of the pod that this process runs in. */
  inCluster?: { host: string; port: string; directory?: string };
  /** Passed to exec plugins beneath their own settings; nothing else of the environment reaches them. */
  environment?: Record<string, string | undefined>;
  clock?: Clock;
}

const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Settings that would change who one is or what one reaches, and that this client does not know. */
const REFUSED_USER_FIELDS = ['username', 'password', 'auth-provider', 'as', 'as-uid', 'as-groups', 'as-user-extra'];
const REFUSED_CLUSTER_FIELDS = ['proxy-url'];

export async function loadKubeConfig(options: KubeConfigOptions): Promise<KubeConfig> {
  if (options.inCluster) return loadInCluster(options.inCluster, options.clock ?? systemClock);
  if (options.path === undefined) throw new Error('loadKubeConfig needs a path or inCluster');
  return loadFile(options.path, options);
}

async function loadInCluster(pod: NonNullable<KubeConfigOptions['inCluster']>, clock: Clock): Promise<KubeConfig> {
  const directory = pod.directory ?? SERVICE_ACCOUNT_DIRECTORY;
  const read = (name: string) => readReferenced(`${directory}/${name}`, `${directory}/${name}`, '');
  const ca = await read('ca.crt');
  const namespace = (await read('namespace')).trim();
  const credentials = createTokenFile(`${directory}/token`, clock);
  await credentials.current();
  const host = pod.host.includes(':') ? `[${pod.host}]` : pod.host;
  return { server: `https://${host}:${pod.port}`, ca, namespace, credentials };
}

async function loadFile(path: string, options: KubeConfigOptions): Promise<KubeConfig> {
  const root = new Field(path, '', await parseFile(path));
  const contextName = options.context ?? root.get('current-context').text();
  if (!contextName) throw new KubeConfigError(path, 'current-context', 'is missing: set it or name a context');
  const context = root.named('contexts', contextName, 'current-context').get('context');
  const clusterName = context.get('cluster').requiredText();
  const cluster = root.named('clusters', clusterName, context.get('cluster').at).get('cluster');
  const userName = context.get('user').text();
  const user = userName ? root.named('users', userName, context.get('user').at).get('user') : undefined;
  for (const name of REFUSED_CLUSTER_FIELDS) cluster.get(name).refuse();
  for (const name of REFUSED_USER_FIELDS) user?.get(name).refuse();

  const server = cluster.get('server').requiredText();
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw cluster.get('server').problem(`${JSON.stringify(server)} is not an http(s) URL`);
  }
  const config: KubeConfig = { server };
  const optional = <K extends keyof KubeConfig>(key: K, value: KubeConfig[K] | undefined) => {
    if (value !== undefined) config[key] = value;
  };
  optional('namespace', context.get('namespace').text());
  optional('ca', await pem(cluster, 'certificate-authority'));
  optional('insecureSkipTlsVerify', cluster.get('insecure-skip-tls-verify').flag());
  optional('tlsServerName', cluster.get('tls-server-name').text());
  if (!user) return config;
  optional('token', user.get('token').text());
  optional('clientCertificate', await pem(user, 'client-certificate'));
  optional('clientKey', await pem(user, 'client-key'));
  if ((config.clientCertificate === undefined) !== (config.clientKey === undefined)) {
    throw user.problem('has only one of client-certificate and client-key: it needs both');
  }
  optional('credentials', await changingCredentials(user, config, options));
  return config;
}

/** A token file comes before a fixed token, as in kubectl; an exec plugin only where there is neither. */
async function changingCredentials(
  user: Field,
  config: KubeConfig,
  options: KubeConfigOptions,
): Promise<CredentialSource | undefined> {
  const clock = options.clock ?? systemClock;
  const tokenFile = user.get('tokenFile').text();
  if (tokenFile) {
    const source = createTokenFile(resolve(dirname(user.file), tokenFile), clock);
    await source.current().catch((error: unknown) => {
      throw user.get('tokenFile').problem(`names a file that cannot be read: ${messageOf(error)}`, error);
    });
    const { clientCertificate, clientKey } = config;
    return { ...source, current: async () => ({ clientCertificate, clientKey, ...(await source.current()) }) };
  }
  const exec = user.get('exec');
  if (exec.value === undefined || config.token || config.clientCertificate) return undefined;
  return createExecCredentials(parseExec(exec), { environment: options.environment ?? {}, clock });
}

function parseExec(exec: Field): ExecPlugin {
  const apiVersion = exec.get('apiVersion').requiredText();
  if (!/^client\.authentication\.k8s\.io\/v1(beta1)?$/.test(apiVersion)) {
    throw exec.get('apiVersion').problem(`${apiVersion} is not supported: use client.authentication.k8s.io/v1`);
  }
  if (exec.get('interactiveMode').text() === 'Always') {
    throw exec.get('interactiveMode').problem('Always is not supported: this process has no terminal to ask on');
  }
  const command = exec.get('command').requiredText();
  const directory = dirname(exec.file);
  const environment = exec
    .get('env')
    .items()
    .map((entry): [string, string] => [entry.get('name').requiredText(), entry.get('value').text() ?? '']);
  return {
    apiVersion,
    // A path is relative to the file that names it; a bare name is looked up.
    command: command.includes('/') ? resolve(directory, command) : command,
    args: exec
      .get('args')
      .items()
      .map((argument) => argument.requiredText()),
    environment: Object.fromEntries(environment),
    where: `${exec.file}: ${exec.at}`,
    ...(exec.get('installHint').text() && { installHint: exec.get('installHint').text() }),
  };
}

/** `NAME-data` holds the PEM in base64, `NAME` the path of a file; the data come first. */
async function pem(parent: Field, name: string): Promise<string | undefined> {
  const data = parent.get(`${name}-data`);
  const encoded = data.text();
  if (encoded) {
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    if (!text.includes('-----BEGIN ')) throw data.problem('is not a PEM text in base64');
    return text;
  }
  const path = parent.get(name).text();
  if (!path) return undefined;
  return readReferenced(resolve(dirname(parent.file), path), parent.file, parent.get(name).at);
}

async function readReferenced(path: string, file: string, field: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const problem = field === '' ? 'cannot be read' : `names the file ${path}, which cannot be read`;
    throw new KubeConfigError(file, field, `${problem}: ${messageOf(error)}`, { cause: error });
  }
}

async function parseFile(path: string): Promise<unknown> {
  const text = await readReferenced(path, path, '');
  const document = parseDocument(text, { lineCounter: new LineCounter(), uniqueKeys: true });
  const [error] = document.errors;
  if (error)
    throw new KubeConfigError(path, '', `is not valid YAML: ${error.message.split('\n')[0]}`, { cause: error });
  return document.toJS({ maxAliasCount: 100 });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
