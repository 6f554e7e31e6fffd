import { escapeExpansion } from '@berth/core/environment';
import { serviceObjectName } from '@berth/core/names';
import type { EnvironmentVariable } from '@berth/core/service';
import { literalFiles, secretFiles } from './files.ts';
import { probeOf } from './probe.ts';
import type { Workload } from './workload.ts';

/** Names of volumes that no volume of a person can have: theirs hold no two hyphens in a row. */
export const FILES_VOLUME = 'berth--files';
export const SECRET_FILES_VOLUME = 'berth--secret-files';

/** How specs and templates name the images that ship, wherever an installation keeps them. */
const OWN_REGISTRY = 'berth.dev';

/**
 * The one container of a service or job. What the process sees is what was written, byte for byte: Kubernetes expands
 * `$(NAME)` in values, command and arguments, so every `$` is doubled; what comes from a Secret it takes as it is.
 */
export function containerOf(
  deployment: string,
  workload: Workload,
  { imagePrefix = OWN_REGISTRY }: { imagePrefix?: string | undefined } = {},
): Record<string, unknown> {
  const { image, command, args, env, ports, probes = {}, resources } = workload;
  const secretName = serviceObjectName(deployment, workload.name);
  const mounts = mountsOf(workload);
  return {
    name: workload.name,
    image: image.startsWith(`${OWN_REGISTRY}/`) ? imagePrefix + image.slice(OWN_REGISTRY.length) : image,
    ...(command && { command: command.map(escapeExpansion) }),
    ...(args && { args: args.map(escapeExpansion) }),
    ...(env?.length && { env: env.map((variable) => environmentOf(variable, secretName)) }),
    ...(ports?.length && {
      ports: ports.map(({ name, port }) => ({ name, containerPort: port, protocol: 'TCP' })),
    }),
    ...(probes.startup && { startupProbe: probeOf(probes.startup, ports) }),
    ...(probes.readiness && { readinessProbe: probeOf(probes.readiness, ports) }),
    ...(probes.liveness && { livenessProbe: probeOf(probes.liveness, ports) }),
    ...(resources && { resources }),
    // The root file system stays writable: most images write somewhere below it, and none says where.
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(mounts.length > 0 && { volumeMounts: mounts }),
  };
}

function environmentOf({ name, value, secretKey }: EnvironmentVariable, secretName: string): Record<string, unknown> {
  if (secretKey !== undefined) return { name, valueFrom: { secretKeyRef: { name: secretName, key: secretKey } } };
  return { name, value: escapeExpansion(value ?? '') };
}

function mountsOf(workload: Workload): Record<string, unknown>[] {
  const volumes = (workload.volumes ?? []).map(({ name, mountPath }) => ({ name, mountPath }));
  const file = (name: string) => (mount: { path: string; key: string }) => ({
    name,
    mountPath: mount.path,
    subPath: mount.key,
    readOnly: true,
  });
  return [
    ...volumes,
    ...literalFiles(workload).map(file(FILES_VOLUME)),
    ...secretFiles(workload).map(file(SECRET_FILES_VOLUME)),
  ];
}
