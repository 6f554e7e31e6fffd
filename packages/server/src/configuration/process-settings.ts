import { isIP } from 'node:net';
import { PLAN_NAMES } from '@berth/core/plans';
import { z } from 'zod';
import {
  booleanText,
  databaseUrlText,
  optionalText,
  portText,
  requiredText,
  secretVariable,
  variable,
} from './environment.ts';

/** The settings of each process. `berth up` sets them all; a person sets them only who runs a process alone. */
const addressText = z
  .string()
  .default('127.0.0.1')
  .refine((text) => isIP(text) !== 0, { error: 'must be an IP address' });
const urlText = requiredText.regex(/^https?:\/\/[^/]+$/, {
  error: 'must be an address such as https://berth.example.com',
});
const metricsUrlText = z
  .url({ protocol: /^https?$/, error: 'must be an address such as http://127.0.0.1:9100/metrics' })
  .optional();
/** 32 random bytes in base64, as `openssl rand -base64 32` prints them. */
const keyText = requiredText.transform((text, context) => {
  const key = Buffer.from(text, 'base64');
  if (key.length === 32) return key;
  context.addIssue({
    code: 'custom',
    message: 'must be 32 random bytes in base64, as "openssl rand -base64 32" prints them',
  });
  return z.NEVER;
});

const logLevel = variable(
  'BERTH_LOG_LEVEL',
  z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], { error: 'must be debug, info, warn, error or silent' })
    .default('info'),
);
/** Where the process writes its pid and start time for its supervisor. */
const runFile = variable('BERTH_RUN_FILE', optionalText);
const databaseUrl = secretVariable('DATABASE_URL', databaseUrlText);
/** Of the Ingresses that the router answers for. */
const ingressClass = variable('BERTH_INGRESS_CLASS', z.string().default('berth'));
/** How people reach the platform. */
const publicUrl = variable('BERTH_PUBLIC_URL', urlText);
/** The port in the addresses of apps. */
const publicPort = variable('BERTH_PUBLIC_PORT', portText);
const domain = variable('BERTH_DOMAIN', z.string().default('localhost'));

/** Where `GET /metrics` says what the process counts, on loopback. Absent: nowhere. */
const metricsPort = variable('BERTH_METRICS_PORT', portText.optional());

export const DATABASE_VARIABLES = {
  logLevel,
  runFile,
  dataDirectory: variable('BERTH_DATA_DIRECTORY', requiredText),
  /** PostgreSQL's own log. */
  logFile: variable('BERTH_LOG_FILE', requiredText),
};

export const CLUSTER_VARIABLES = {
  logLevel,
  runFile,
  databaseUrl,
  /** Written once the cluster answers. */
  kubeconfigFile: variable('KUBECONFIG', requiredText),
  dataDirectory: variable('BERTH_DATA_DIRECTORY', requiredText),
  port: variable('BERTH_CLUSTER_PORT', portText),
  /** Encrypts Secret objects at rest. */
  key: secretVariable('BERTH_CLUSTER_KEY', keyText),
  ingressClass,
};

export const SERVER_VARIABLES = {
  logLevel,
  runFile,
  databaseUrl,
  /** Absent inside a cluster, where the service account says it all. */
  kubeconfigFile: variable('KUBECONFIG', optionalText),
  bind: variable('BERTH_BIND', addressText),
  port: variable('BERTH_PORT', portText),
  publicUrl,
  publicPort,
  domain,
  /** Whether everybody who can reach the server is dev@localhost: only ever on loopback. */
  developmentSignIn: variable('BERTH_DEVELOPMENT_SIGN_IN', booleanText),
  /** Whether the client's address is in the header that the router sets. */
  behindRouter: variable('BERTH_BEHIND_ROUTER', booleanText),
  plan: variable(
    'BERTH_PLAN',
    z.enum(PLAN_NAMES, { error: `must be one of ${PLAN_NAMES.join(', ')}` }).default('free'),
  ),
  masterKey: secretVariable('BERTH_MASTER_KEY', keyText),
  /** Whose disk is watched. Absent: nobody's. */
  dataDirectory: variable('BERTH_DATA_DIRECTORY', optionalText),
  internalPort: variable('BERTH_INTERNAL_PORT', portText),
  /**
   * Where the requests of apps are counted: the router's own `/metrics`, or that of the cluster's ingress controller. Absent, pages show
   * no requests.
   */
  routerMetricsUrl: variable('BERTH_ROUTER_METRICS_URL', metricsUrlText),
  internalAuthority: secretVariable('BERTH_INTERNAL_AUTHORITY', requiredText),
  internalCertificate: secretVariable('BERTH_INTERNAL_CERTIFICATE', requiredText),
  internalKey: secretVariable('BERTH_INTERNAL_KEY', requiredText),
};

export const OPERATOR_VARIABLES = {
  logLevel,
  runFile,
  kubeconfigFile: variable('KUBECONFIG', optionalText),
  publicUrl,
  publicPort,
  /** Absent is the cluster's default class. */
  ingressClass: variable('BERTH_INGRESS_CLASS', optionalText),
  /** Who makes Secrets of ExternalSecrets; never both. */
  secretsDelivery: variable(
    'BERTH_SECRETS_DELIVERY',
    z.enum(['built-in', 'external-secrets'], { error: 'must be built-in or external-secrets' }).default('built-in'),
  ),
  /** Where operators agree on one that works. Absent where there is only ever one. */
  leaseNamespace: variable('BERTH_LEASE_NAMESPACE', optionalText),
  metricsPort,
};

export const ROUTER_VARIABLES = {
  logLevel,
  runFile,
  kubeconfigFile: variable('KUBECONFIG', requiredText),
  bind: variable('BERTH_BIND', addressText),
  port: variable('BERTH_PORT', portText),
  publicUrl,
  serverUrl: variable('BERTH_SERVER_URL', urlText),
  domain,
  ingressClass,
  metricsPort,
};

export const MIGRATE_VARIABLES = { databaseUrl };
