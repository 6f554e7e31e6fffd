import { PLAN_NAMES } from '@berth/core/plans';
import { z } from 'zod';
import {
  anything,
  choice,
  count,
  disruptionBudget,
  flag,
  group,
  list,
  objects,
  podShape,
  resources,
  secretKey,
  text,
  texts,
} from './value-parts.ts';

/**
 * The values of the chart, said once: `values.yaml`, `values.schema.json` and the table in the chart's README come from here. What only
 * fails in combination is refused by `templates/_checks.tpl`, in words.
 */
const image = group('The image of Berth itself.', {
  registry: text(
    'Where images come from, with a path if need be. Apps that use the shipped images take them from here too.',
    'berth.dev',
  ),
  repository: text('Its name there.', 'berth'),
  tag: text("Its tag; empty: the chart's own version."),
  digest: text('As in sha256:...; instead of the tag.'),
  pullPolicy: choice('When a node asks for it again.', ['IfNotPresent', 'Always', 'Never']),
});

const apps = group('How the world reaches the apps of teams.', {
  domain: text(
    'Apps are at NAME.DOMAIN. Use another domain than that of the platform, with a wildcard record in DNS. Required.',
  ),
  ingressClassName: text("The class of their Ingresses; empty: the cluster's default class."),
  tls: text(
    'Where their certificates come from: default-certificate (the ingress controller has one for *.DOMAIN), secret:NAME (in the namespace of each team), cluster-issuer:NAME (cert-manager makes one for each app), or none.',
    'default-certificate',
  ),
  ingressAnnotations: texts('On every Ingress of an app.'),
  scheme: text('http or https; empty: that of publicUrl.'),
  port: count('The port in their addresses; 0: the usual one of their scheme.', 0),
});

const administrator = group('The first administrator, made at the first start and never changed by the chart.', {
  email: text('Signs in with it. Empty: nobody is made, and `berth admin create` makes one.'),
  existingSecret: secretKey(
    'Where the first password is; without it, the chart makes one and NOTES tell how to read it.',
    'password',
  ),
});

const database = group('PostgreSQL: one of yours, or one for a trial. Exactly one of the two.', {
  existingSecret: secretKey(
    'Where the address of your database is, as in postgres://user:password@host:5432/berth?sslmode=verify-full.',
    'url',
  ),
  authority: group('Who vouches for the certificate of your database, when it is no public authority.', {
    configMap: text('A ConfigMap with it.'),
    secret: text('Or a Secret with it.'),
    key: text('The key in it.', 'ca.crt'),
  }),
  connections: count('Connections of each server, at most.', 10),
  port: count('The port of your database: what the network policy opens.', 5432),
  trial: group('A PostgreSQL on one node, without backup. For trials.', {
    enabled: flag('Whether there is one.', false),
    storage: text('The size of its volume.', '8Gi'),
    storageClassName: text("Its storage class; empty: the cluster's default class."),
    image: text('Its image in the registry.', 'postgres:1'),
    resources: resources('100m', '256Mi', '1Gi'),
    ...podShape,
  }),
});

const secrets = group('Values that teams keep secret.', {
  delivery: choice(
    'Who makes Secrets of them in the namespaces of teams: the operator, or External Secrets where that is installed.',
    ['built-in', 'external-secrets'],
  ),
  externalSecretsNamespace: text(
    'Where External Secrets runs: it is let in to ask the server for values.',
    'external-secrets',
  ),
  masterKey: secretKey(
    '32 random bytes in base64 that encrypt values in the database. Lost, they cannot be read any more.',
    'master-key',
  ),
  internalCertificate: group('The certificate of the internal endpoint.', {
    name: text('A Secret with ca.crt, tls.crt and tls.key, as cert-manager makes it; empty: the chart makes one.'),
  }),
});

const server = group('The API and, unless web.separate, the pages.', {
  replicas: count('How many.', 2),
  resources: resources('200m', '256Mi', '768Mi'),
  podDisruptionBudget: disruptionBudget,
  plan: choice('The plan of organizations that are new.', PLAN_NAMES),
  drainSeconds: count('How long a pod that is to stop still serves, until nobody is sent there any more.', 5),
  shellGraceSeconds: count('How long shells and forwarded ports stay after that, for people to come to an end.', 30),
  trustedProxies: list('Networks of the proxies in front, as in 10.244.0.0/16: their X-Forwarded-For is believed.'),
  logLevel: choice('How much it logs.', ['info', 'debug', 'warn', 'error']),
  logRequests: choice('Which answered requests it logs.', ['notable', 'all', 'none']),
  routerMetricsUrl: text("The ingress controller's /metrics: where the requests of apps are counted."),
  serviceAccountAnnotations: texts('On its ServiceAccount.'),
  serviceAnnotations: texts('On its Service.'),
  ...podShape,
});

const operator = group('Makes what deployments ask for.', {
  replicas: count('How many: one works, the others stand by.', 2),
  resources: resources('100m', '192Mi', '1Gi'),
  podDisruptionBudget: disruptionBudget,
  terminationGracePeriodSeconds: count('How long it has to finish what it is doing.', 30),
  logLevel: choice('How much it logs.', ['info', 'debug', 'warn', 'error']),
  serviceAccountAnnotations: texts('On its ServiceAccount.'),
  ...podShape,
});

const web = group('The pages.', {
  separate: flag(
    'Whether they are served by a Deployment of their own, so that they stay when the server is replaced.',
    false,
  ),
  replicas: count('How many.', 2),
  resources: resources('50m', '96Mi', '256Mi'),
  podDisruptionBudget: disruptionBudget,
  ...podShape,
});

const jobs = group('The Jobs around an installation: keys that are missing, and migrations of the database.', {
  resources: resources('50m', '128Mi', '512Mi'),
  ...podShape,
});

const ingress = group('An Ingress for the platform.', {
  enabled: flag('Whether there is one.', false),
  className: text("Its class; empty: the cluster's default class."),
  annotations: texts('On it, as in cert-manager.io/cluster-issuer: letsencrypt.'),
  tls: group('Its certificate.', {
    enabled: flag('Whether it has a section for one. Off, the ingress controller takes its default certificate.', true),
    secretName: text(
      'The Secret with the certificate; cert-manager makes it where an annotation asks for that. Empty: RELEASE-tls.',
    ),
  }),
});

const gateway = group('An HTTPRoute of the Gateway API for the platform, instead of an Ingress.', {
  enabled: flag('Whether there is one.', false),
  parentRefs: objects('Which Gateways it belongs to.'),
  annotations: texts('On it.'),
});

const rbac = group('Rights in the cluster.', {
  namespaces: list(
    'When given, Berth works in these namespaces alone, which you make beforehand, and has no right of its own anywhere else. See "Confined to namespaces" in the guide.',
  ),
  admissionPolicy: flag(
    'Whether a ValidatingAdmissionPolicy holds operator and server to the namespaces of teams and to pods without rights, beyond what RBAC can say.',
    true,
  ),
});

const networkPolicy = group('Who may talk to whom in the namespace of the release.', {
  enabled: flag('Whether there are policies: nothing in and nothing out but what is needed.', true),
  ingressFrom: objects('Who may reach the platform, as peers of a NetworkPolicy; empty: everybody.'),
  metricsFrom: objects('Who may read metrics, as peers of a NetworkPolicy; empty: every namespace but those of teams.'),
  apiServer: group('The apiserver, as pods reach it.', {
    cidrs: list('Its addresses; empty: everywhere, on these ports.'),
    ports: z.array(z.int()).default([443, 6443]).describe('Its ports: that of the Service, and that behind it.'),
  }),
  extraEgress: objects('More that the server may reach, as egress rules of a NetworkPolicy.'),
});

const metrics = group('What processes count, on a port of its own.', {
  enabled: flag('Whether they tell.', true),
  serviceMonitor: group('For the Prometheus Operator.', {
    enabled: flag('Whether there is one.', false),
    interval: text('How often it looks.', '30s'),
    labels: texts('By which your Prometheus finds it.'),
  }),
});

const traces = group('Traces by OTLP over HTTP.', {
  endpoint: text('Where they go, as in http://collector.observability:4318. Empty: nowhere.'),
  headers: secretKey('Where the headers of the request are, as OTEL_EXPORTER_OTLP_HEADERS wants them.', 'headers'),
});

export const chartValues = z.strictObject({
  publicUrl: text('How people reach the platform, as in https://berth.example.com. Required.'),
  apps,
  administrator,
  database,
  secrets,
  ingress,
  gateway,
  image,
  imagePullSecrets: objects('Secrets for the registry, as in - name: registry.'),
  server,
  operator,
  web,
  jobs,
  rbac,
  networkPolicy,
  metrics,
  traces,
  definitions: group('The CustomResourceDefinitions.', {
    install: flag('Whether they belong to this release. They stay when it goes.', true),
  }),
  commonLabels: texts('On every object.'),
  commonAnnotations: texts('On every object.'),
  nameOverride: text('Instead of berth in the names of objects.'),
  fullnameOverride: text('Instead of the whole beginning of the names of objects.'),
  global: anything('Taken from a chart above and not used.'),
});
