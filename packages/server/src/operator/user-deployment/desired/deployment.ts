import { serviceObjectName, volumeClaimName } from '@berth/core/names';
import type { Service } from '@berth/core/service';
import { ANNOTATIONS, type UserDeploymentSpec } from '@berth/core/user-deployment';
import { DEPLOYMENT } from '@berth/kube/schema/resources';
import { type Child, childLabels, makeChild, type Owner, selectorLabels } from './child.ts';
import { containerOf, FILES_VOLUME, SECRET_FILES_VOLUME } from './container.ts';
import { filesHash, literalFiles, secretFiles, usedSecretKeys } from './files.ts';

/** Group of every volume, so that a process that is not root can write to what it mounts. */
const VOLUME_GROUP = 10001;
const STOP_GRACE_SECONDS = 30;
const REVISIONS_KEPT = 3;
const PROGRESS_SECONDS = 600;
const RESTARTED_AT_ANNOTATION = 'berth.dev/restarted-at';
const FILES_ANNOTATION = 'berth.dev/files-hash';
/** The Secret is for the pod's group alone. */
const SECRET_FILE_MODE = 0o440;

export function replicasOf(spec: Pick<UserDeploymentSpec, 'desired'>, service: Service): number {
  return spec.desired === 'stopped' ? 0 : (service.replicas ?? 1);
}

export function deploymentOf(owner: Owner, service: Service, spec: UserDeploymentSpec): Child {
  return makeChild(owner, DEPLOYMENT, {
    name: serviceObjectName(owner.name, service.name),
    service: service.name,
    body: {
      spec: {
        replicas: replicasOf(spec, service),
        revisionHistoryLimit: REVISIONS_KEPT,
        progressDeadlineSeconds: PROGRESS_SECONDS,
        strategy: strategyOf(service),
        selector: { matchLabels: selectorLabels(owner, service.name) },
        template: {
          metadata: { labels: childLabels(owner, service.name), annotations: templateAnnotations(service, spec) },
          spec: podSpecOf(owner, service),
        },
      },
    },
  });
}

/** A volume is mounted by one pod at a time, so the old pod goes before the new one comes; else the new one comes first. */
function strategyOf(service: Service): Record<string, unknown> {
  if (service.volumes?.length) return { type: 'Recreate' };
  return { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
}

/** What replaces pods when it changes, though no field of the pod says it. */
function templateAnnotations(service: Service, spec: UserDeploymentSpec): Record<string, string> {
  const files = filesHash(service);
  const version = usedSecretKeys(service).length > 0 ? spec.secretVersion : undefined;
  return {
    ...(version !== undefined && { [ANNOTATIONS.secretVersion]: version }),
    ...(spec.restartedAt !== undefined && { [RESTARTED_AT_ANNOTATION]: spec.restartedAt }),
    ...(files !== undefined && { [FILES_ANNOTATION]: files }),
  };
}

/** Fits the restricted Pod Security level. Service variables stay on: on the embedded node programs find each other by them. */
function podSpecOf(owner: Owner, service: Service): Record<string, unknown> {
  return {
    automountServiceAccountToken: false,
    // A Service named `database` would set DATABASE_PORT=tcp://... over the app's own variable; names are what services use.
    enableServiceLinks: false,
    terminationGracePeriodSeconds: service.stopGraceSeconds ?? STOP_GRACE_SECONDS,
    securityContext: {
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      fsGroup: VOLUME_GROUP,
      fsGroupChangePolicy: 'OnRootMismatch',
    },
    containers: [containerOf(owner.name, service)],
    volumes: volumesOf(owner.name, service),
  };
}

function volumesOf(deployment: string, service: Service): Record<string, unknown>[] {
  const name = serviceObjectName(deployment, service.name);
  return [
    ...(service.volumes ?? []).map((volume) => ({
      name: volume.name,
      persistentVolumeClaim: { claimName: volumeClaimName(deployment, service.name, volume.name) },
    })),
    ...(literalFiles(service).length > 0 ? [{ name: FILES_VOLUME, configMap: { name } }] : []),
    ...(secretFiles(service).length > 0
      ? [{ name: SECRET_FILES_VOLUME, secret: { secretName: name, defaultMode: SECRET_FILE_MODE } }]
      : []),
  ];
}
