import { at } from '../../kinds/define.ts';
import { list } from '../../kinds/pod-defaults.ts';
import { addedCapabilities, forbiddenSeccompProfile, isAllowedSeccompProfile } from './baseline.ts';
import {
  type CheckedPod,
  containersOf,
  containersWhere,
  distinct,
  type Fields,
  isForWindows,
  named,
  type PodSecurityCheck,
  quoted,
  settersWhere,
  type Violation,
} from './pod-fields.ts';

/** What the restricted level asks beyond the baseline, in the order in which a real server names what it finds. */
export const restrictedChecks: PodSecurityCheck[] = [
  { name: 'allowPrivilegeEscalation', since: 8, check: allowPrivilegeEscalation },
  { name: 'capabilities_restricted', since: 22, overrides: 'capabilities_baseline', check: capabilities },
  { name: 'restrictedVolumes', overrides: 'hostPathVolumes', check: volumes },
  { name: 'runAsNonRoot', check: runAsNonRoot },
  { name: 'runAsUser', since: 23, check: runAsUser },
  { name: 'seccompProfile_restricted', since: 19, overrides: 'seccompProfile_baseline', check: seccompProfile },
];

const ALLOWED_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
const OTHER_VOLUMES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

function allowPrivilegeEscalation(pod: CheckedPod, minor: number): Violation | undefined {
  if (isForWindows(pod, minor)) return undefined;
  const containers = containersWhere(
    pod,
    (container) => at(container, 'securityContext', 'allowPrivilegeEscalation') !== false,
  );
  if (containers.length === 0) return undefined;
  const detail = `${named('container', containers)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: 'allowPrivilegeEscalation != false', detail };
}

function capabilities(pod: CheckedPod, minor: number): Violation | undefined {
  if (isForWindows(pod, minor)) return undefined;
  const dropped = (container: Fields) => (at(container, 'securityContext', 'capabilities', 'drop') ?? []) as string[];
  const added = (container: Fields) => addedCapabilities(container).filter((name) => name !== 'NET_BIND_SERVICE');
  const keeping = containersWhere(pod, (container) => !dropped(container).includes('ALL'));
  const adding = containersWhere(pod, (container) => added(container).length > 0);
  const values = distinct(containersOf(pod).flatMap(added));
  const details = [
    ...(keeping.length > 0
      ? [`${named('container', keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(adding.length > 0
      ? [`${named('container', adding)} must not include ${quoted(values)} in securityContext.capabilities.add`]
      : []),
  ];
  return details.length > 0 ? { reason: 'unrestricted capabilities', detail: details.join('; ') } : undefined;
}

function volumes({ spec }: CheckedPod): Violation | undefined {
  const bad = list(spec.volumes).filter((volume) => !ALLOWED_VOLUMES.some((type) => volume[type] !== undefined));
  if (bad.length === 0) return undefined;
  const types = distinct(bad.map((volume) => OTHER_VOLUMES.find((type) => volume[type] !== undefined) ?? 'unknown'));
  const names = bad.map(({ name }) => String(name));
  const use = names.length === 1 ? 'uses' : 'use';
  const detail = `${named('volume', names)} ${use} ${named('restricted volume type', types)}`;
  return { reason: 'restricted volume types', detail };
}

function runAsNonRoot(pod: CheckedPod): Violation | undefined {
  const reason = 'runAsNonRoot != true';
  const setters = settersWhere(pod, (context) => context.runAsNonRoot === false);
  if (setters) return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (at(pod.spec, 'securityContext', 'runAsNonRoot') === true) return undefined;
  const silent = containersWhere(pod, (container) => at(container, 'securityContext', 'runAsNonRoot') === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${named('container', silent)} must set securityContext.runAsNonRoot=true` };
}

function runAsUser(pod: CheckedPod): Violation | undefined {
  const setters = settersWhere(pod, (context) => context.runAsUser === 0);
  return setters ? { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` } : undefined;
}

function seccompProfile(pod: CheckedPod, minor: number): Violation | undefined {
  if (isForWindows(pod, minor)) return undefined;
  const forbidden = forbiddenSeccompProfile(pod);
  if (forbidden) return forbidden;
  if (isAllowedSeccompProfile(at(pod.spec, 'securityContext', 'seccompProfile'))) return undefined;
  const silent = containersWhere(pod, (container) => at(container, 'securityContext', 'seccompProfile') === undefined);
  if (silent.length === 0) return undefined;
  const detail = `pod or ${named('container', silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: 'seccompProfile', detail };
}
