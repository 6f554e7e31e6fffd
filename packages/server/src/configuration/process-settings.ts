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
import {
  addressText,
  anyUrlText,
  headersText,
  httpsUrlText,
  imagePrefixText,
  ingressTlsText,
  keyText,
  namespacesText,
  namesText,
  networksText,
  onUnlessFalse,
  portOr,
  textsText,
  urlText,
  wholeNumber,
} from './setting-texts.ts';

/**
 * The settings of each process. `berth up` sets them on a laptop, the chart on a cluster; a person sets them who runs a process alone. Each is
 * in the table of docs/guides/operations.md, which a test compares with this file.
 */
const logLevel = variable(
  'BERTH_LOG_LEVEL',
  z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], { error: 'must be debug, info, warn, error or silent' })
    .default('info'),
);
/** Where the process writes its pid and start time for its supervisor. */
const runFile = variable('BERTH_RUN_FILE', optionalText);

const databaseUrl = secretVariable('DATABASE_URL', databaseUrlText);
const DATABASE_CLIENT_VARIABLES = {
  databaseUrl,
  /** Who may vouch for the database, in PEM, instead of the authorities that Node knows. */
  databaseAuthority: secretVariable('BERTH_DATABASE_CA', optionalText),
};

const CLUSTER_CLIENT_VARIABLES = {
  /** Absent inside a cluster, where the service account says it all. */
  kubeconfigFile: variable('KUBECONFIG', optionalText),
  /** Kubernetes sets both in every pod. */
  serviceHost: variable('KUBERNETES_SERVICE_HOST', optionalText),
  servicePort: variable('KUBERNETES_SERVICE_PORT', portOr(443)),
};

/** Of the Ingresses that the router answers for. */
const ingressClass = variable('BERTH_INGRESS_CLASS', z.string().default('berth'));
const domain = variable('BERTH_DOMAIN', z.string().default('localhost'));

const PUBLIC_VARIABLES = {
  /** How people reach the platform. */
  publicUrl: variable('BERTH_PUBLIC_URL', urlText),
  /** The port in the addresses of apps: when absent the usual one of their scheme, or the platform's own. */
  publicPort: variable('BERTH_PUBLIC_PORT', portText.optional()),
  /** The scheme of apps, when it is not the platform's. */
  appScheme: variable('BERTH_APP_SCHEME', z.enum(['http', 'https'], { error: 'must be http or https' }).optional()),
};

/** Where `GET /metrics` says what the process counts, and an operator how it is. Absent: nowhere. */
const METRICS_VARIABLES = {
  metricsPort: variable('BERTH_METRICS_PORT', portText.optional()),
  metricsBind: variable('BERTH_METRICS_BIND', addressText),
};

/** OpenTelemetry's own names. Without an endpoint nothing of it is loaded. */
const TRACE_VARIABLES = {
  traceEndpoint: variable('OTEL_EXPORTER_OTLP_ENDPOINT', anyUrlText('http://collector.example.com:4318')),
  traceService: variable('OTEL_SERVICE_NAME', optionalText),
  traceHeaders: secretVariable('OTEL_EXPORTER_OTLP_HEADERS', headersText),
};

/** Where operators agree on one that works. Absent where there is only ever one. */
const leaseNamespace = variable('BERTH_LEASE_NAMESPACE', optionalText);
/** The only namespaces that may be looked into and used, made beforehand. Absent: all, and teams' are made when they are needed. */
const namespaces = variable('BERTH_NAMESPACES', namespacesText);
/** Whether the process makes our kinds known to the cluster. Off where the chart does. */
const installDefinitions = variable('BERTH_INSTALL_DEFINITIONS', onUnlessFalse);
/** Who makes Secrets of ExternalSecrets; never both. */
const secretsDelivery = variable(
  'BERTH_SECRETS_DELIVERY',
  z.enum(['built-in', 'external-secrets'], { error: 'must be built-in or external-secrets' }).default('built-in'),
);

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
  ...DATABASE_CLIENT_VARIABLES,
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
  /** Which answered requests are told at level info: those that failed or were slow, all, or none. */
  logRequests: variable(
    'BERTH_LOG_REQUESTS',
    z.enum(['notable', 'all', 'none'], { error: 'must be notable, all or none' }).default('notable'),
  ),
  ...DATABASE_CLIENT_VARIABLES,
  databaseConnections: variable('BERTH_DATABASE_CONNECTIONS', wholeNumber({ fallback: 10, least: 3, most: 1000 })),
  /** Off where `migrate` brings the database up to date: the server then waits for it. */
  migrate: variable('BERTH_MIGRATE', onUnlessFalse),
  ...CLUSTER_CLIENT_VARIABLES,
  installDefinitions,
  namespaces,
  leaseNamespace,
  bind: variable('BERTH_BIND', addressText),
  port: variable('BERTH_PORT', portOr(8080)),
  ...PUBLIC_VARIABLES,
  domain,
  /** Whether this server serves the pages; else a `web` process does. */
  web: variable('BERTH_WEB', onUnlessFalse),
  /** Whether everybody who can reach the server is dev@localhost: only ever on loopback. */
  developmentSignIn: variable('BERTH_DEVELOPMENT_SIGN_IN', booleanText),
  /** Whether the router of this machine stands in front. */
  behindRouter: variable('BERTH_BEHIND_ROUTER', booleanText),
  /** Whose word on the client's address and scheme is believed. */
  trustedProxies: variable('BERTH_TRUSTED_PROXIES', networksText),
  /** The administrator that a start makes when there is none. */
  adminEmail: variable('BERTH_ADMIN_EMAIL', optionalText),
  adminPassword: secretVariable('BERTH_ADMIN_PASSWORD', optionalText),
  plan: variable(
    'BERTH_PLAN',
    z.enum(PLAN_NAMES, { error: `must be one of ${PLAN_NAMES.join(', ')}` }).default('free'),
  ),
  masterKey: secretVariable('BERTH_MASTER_KEY', keyText),
  /** Whose disk is watched. Absent: nobody's. */
  dataDirectory: variable('BERTH_DATA_DIRECTORY', optionalText),
  internalBind: variable('BERTH_INTERNAL_BIND', addressText),
  internalPort: variable('BERTH_INTERNAL_PORT', portOr(8443)),
  /** Where whoever delivers secrets finds the internal endpoint. Absent: on this machine. */
  internalUrl: variable('BERTH_INTERNAL_URL', httpsUrlText),
  internalAuthority: secretVariable('BERTH_INTERNAL_AUTHORITY', requiredText),
  internalCertificate: secretVariable('BERTH_INTERNAL_CERTIFICATE', requiredText),
  internalKey: secretVariable('BERTH_INTERNAL_KEY', requiredText),
  /** Where other servers find the internal endpoint of this very one. Absent where there is only one. */
  peerUrl: variable('BERTH_PEER_URL', httpsUrlText),
  /**
   * Where the requests of apps are counted: the router's own `/metrics`, or that of the cluster's ingress controller. Absent, pages show
   * no requests.
   */
  routerMetricsUrl: variable('BERTH_ROUTER_METRICS_URL', anyUrlText('http://127.0.0.1:9100/metrics')),
  /** For how long a server that was asked to stop says that it is not ready and still serves, until no balancer sends anybody. */
  drainSeconds: variable('BERTH_DRAIN_SECONDS', wholeNumber({ fallback: 0, least: 0, most: 600 })),
  /** How long shells and forwarded connections, which cannot be moved, may stay when the server is told to stop. */
  shellGraceSeconds: variable('BERTH_SHELL_GRACE_SECONDS', wholeNumber({ fallback: 0, least: 0, most: 3600 })),
  ...METRICS_VARIABLES,
  ...TRACE_VARIABLES,
};

/** The pages alone, without API and database. */
export const WEB_VARIABLES = {
  logLevel,
  runFile,
  bind: variable('BERTH_BIND', addressText),
  port: variable('BERTH_PORT', portOr(8080)),
  publicUrl: PUBLIC_VARIABLES.publicUrl,
  drainSeconds: SERVER_VARIABLES.drainSeconds,
};

export const OPERATOR_VARIABLES = {
  logLevel,
  runFile,
  ...CLUSTER_CLIENT_VARIABLES,
  installDefinitions,
  namespaces,
  leaseNamespace,
  ...PUBLIC_VARIABLES,
  /** Absent is the cluster's default class. */
  ingressClass: variable('BERTH_INGRESS_CLASS', optionalText),
  ingressTls: variable('BERTH_INGRESS_TLS', ingressTlsText),
  /** On every Ingress of apps. */
  ingressAnnotations: variable('BERTH_INGRESS_ANNOTATIONS', textsText),
  /** The registry of images that a spec names as `berth.dev/NAME`. */
  imagePrefix: variable('BERTH_IMAGE_PREFIX', imagePrefixText),
  secretsDelivery,
  ...METRICS_VARIABLES,
  ...TRACE_VARIABLES,
};

export const ROUTER_VARIABLES = {
  logLevel,
  runFile,
  kubeconfigFile: variable('KUBECONFIG', requiredText),
  bind: variable('BERTH_BIND', addressText),
  port: variable('BERTH_PORT', portText),
  publicUrl: PUBLIC_VARIABLES.publicUrl,
  serverUrl: variable('BERTH_SERVER_URL', urlText),
  domain,
  ingressClass,
  ...METRICS_VARIABLES,
};

export const MIGRATE_VARIABLES = DATABASE_CLIENT_VARIABLES;

/** The database that somebody else runs, for modes that have one of their own otherwise. */
export const GIVEN_DATABASE_VARIABLES = {
  ...DATABASE_CLIENT_VARIABLES,
  databaseUrl: secretVariable('DATABASE_URL', databaseUrlText.optional()),
};

/** A Job that makes the Secrets that are missing, in the namespace of its service account. */
export const KEYS_VARIABLES = {
  ...CLUSTER_CLIENT_VARIABLES,
  secret: variable('BERTH_KEYS_SECRET', requiredText),
  internalNames: variable('BERTH_KEYS_INTERNAL_NAMES', namesText),
  /** The Secret of a trial's database, and the host in its address. Absent: the database has its own. */
  databaseSecret: variable('BERTH_KEYS_DATABASE_SECRET', optionalText),
  databaseHost: variable('BERTH_KEYS_DATABASE_HOST', optionalText),
};
