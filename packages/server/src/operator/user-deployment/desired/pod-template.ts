import { filesObjectName, serviceObjectName, volumeClaimName } from '@berth/core/names';
import { ANNOTATIONS, type UserDeploymentSpec } from '@berth/core/user-deployment';
import { sha256 } from '../../sha256.ts';
import { childLabels, type Owner } from './child.ts';
import { containerOf, FILES_VOLUME, SECRET_FILES_VOLUME } from './container.ts';
import { filesHash, secretFiles, usedSecretKeys } from './files.ts';
import { podLabels } from './standard-labels.ts';
import type { Workload } from './workload.ts';

/** On pods: of the template they were made from, so that a pod of this version is told from one of another. */
export const TEMPLATE_HASH_ANNOTATION = 'berth.dev/template-hash';
const RESTARTED_AT_ANNOTATION = 'berth.dev/restarted-at';

/** Group of every volume, so that a process that is not root can write to what it mounts. */
const VOLUME_GROUP = 10001;
const STOP_GRACE_SECONDS = 30;
/** How long a pod that is going still answers: so long do routers and proxies take to forget it. */
const FORGET_SECONDS = 3;
/** The Secret is for the pod's group alone. */
const SECRET_FILE_MODE = 0o440;

export interface PodTemplate {
  metadata: { labels: Record<string, string>; annotations: Record<string, string> };
  spec: Record<string, unknown>;
}

export interface PodOptions {
  /** The registry of images that a spec names as `berth.dev/NAME`; that name itself when absent. */
  imagePrefix?: string | undefined;
}

export interface TemplateInput {
  spec: UserDeploymentSpec;
  options: PodOptions;
  restartPolicy?: 'Never';
  /** Of the pods that run. */
  standingHash?: string | undefined;
}

/** What replaces pods when it changes is in here, as a field or as an annotation, and nothing else is. */
export function podTemplateOf(owner: Owner, workload: Workload, input: TemplateInput): PodTemplate {
  const plain = childLabels(owner, workload.name);
  // Pods that an older operator made without these labels go on as they are: a newer operator alone is no reason to replace them.
  const earlier = templateOf(owner, workload, { ...input, labels: plain });
  if (input.standingHash === earlier.metadata.annotations[TEMPLATE_HASH_ANNOTATION]) return earlier;
  return templateOf(owner, workload, { ...input, labels: { ...plain, ...podLabels(owner.name, workload) } });
}

function templateOf(
  owner: Owner,
  workload: Workload,
  { spec, options, restartPolicy, labels }: TemplateInput & { labels: Record<string, string> },
): PodTemplate {
  const annotations = templateAnnotations(workload, spec);
  const podSpec = { ...(restartPolicy && { restartPolicy }), ...podSpecOf(owner, workload, options) };
  const hash = sha256(JSON.stringify({ labels, annotations, podSpec })).slice(0, 16);
  const metadata = { labels, annotations: { ...annotations, [TEMPLATE_HASH_ANNOTATION]: hash } };
  return { metadata, spec: podSpec };
}

/** What replaces pods though no field of the pod says it. Files do by the name of their ConfigMap. */
function templateAnnotations(workload: Workload, spec: UserDeploymentSpec): Record<string, string> {
  const version = usedSecretKeys(workload).length > 0 ? spec.secretVersion : undefined;
  const restartedAt = [spec.restartedAt, workload.restartedAt].filter((at) => at !== undefined).join(' ');
  return {
    ...(version !== undefined && { [ANNOTATIONS.secretVersion]: version }),
    ...(restartedAt !== '' && { [RESTARTED_AT_ANNOTATION]: restartedAt }),
    ...scrapeAnnotations(workload),
  };
}

/** By which a Prometheus finds what to ask. */
function scrapeAnnotations({ metrics, ports }: Workload): Record<string, string> {
  const port = ports?.find(({ name }) => name === metrics?.port)?.port;
  if (!metrics || port === undefined) return {};
  const { path = '/metrics' } = metrics;
  return { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(port), 'prometheus.io/path': path };
}

/** Fits the restricted Pod Security level. */
function podSpecOf(owner: Owner, workload: Workload, options: PodOptions): Record<string, unknown> {
  const grace = workload.stopGraceSeconds ?? STOP_GRACE_SECONDS;
  const forgets = isForgottenFirst(workload);
  const volumes = volumesOf(owner.name, workload);
  return {
    automountServiceAccountToken: false,
    // A Service named `database` would set DATABASE_PORT=tcp://... over the app's own variable; names are what services use.
    enableServiceLinks: false,
    // Counts from before the sleep: the program gets all of what it asked for.
    terminationGracePeriodSeconds: forgets ? grace + FORGET_SECONDS : grace,
    securityContext: {
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      fsGroup: VOLUME_GROUP,
      fsGroupChangePolicy: 'OnRootMismatch',
    },
    containers: [
      {
        ...containerOf(owner.name, workload, options),
        ...(forgets && { lifecycle: { preStop: { sleep: { seconds: FORGET_SECONDS } } } }),
      },
    ],
    ...(volumes.length > 0 && { volumes }),
  };
}

/** Not one with a volume: its new pod waits until the old one is gone, so sleeping would only make it be down for longer. */
function isForgottenFirst({ ports, volumes }: Workload): boolean {
  return Boolean(ports?.length) && !volumes?.length;
}

function volumesOf(deployment: string, workload: Workload): Record<string, unknown>[] {
  const files = filesHash(workload);
  const secretName = serviceObjectName(deployment, workload.name);
  return [
    ...(workload.volumes ?? []).map((volume) => ({
      name: volume.name,
      persistentVolumeClaim: { claimName: volumeClaimName(deployment, workload.name, volume.name) },
    })),
    ...(files !== undefined
      ? [{ name: FILES_VOLUME, configMap: { name: filesObjectName(deployment, workload.name, files) } }]
      : []),
    ...(secretFiles(workload).length > 0
      ? [{ name: SECRET_FILES_VOLUME, secret: { secretName, defaultMode: SECRET_FILE_MODE } }]
      : []),
  ];
}
