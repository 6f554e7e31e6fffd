import { compareQuantities, quantityNanos } from '../../../schema/quantity.ts';
import { banned, duplicate, type FieldError, required, wrong } from '../errors.ts';
import { list } from '../kinds/pod-defaults.ts';
import { validateLifecycle, validateProbe } from './handlers.ts';
import { configKey, dnsLabel, dnsSubdomain, environmentName, portName, portNumber, qualifiedName } from './names.ts';
import { choice, named, negative } from './values.ts';

type Fields = Record<string, unknown>;

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];

export function validatePodSpec(spec: Fields, field: string): FieldError[] {
  const volumes = new Set(list(spec.volumes).map(({ name }) => name));
  const containers = list(spec.containers);
  const errors = validateVolumes(list(spec.volumes), `${field}.volumes`);
  if (containers.length === 0) errors.push(required(`${field}.containers`));
  const names = new Set<unknown>();
  const graceSeconds = Number(spec.terminationGracePeriodSeconds ?? 0);
  const each = (container: Fields, path: string) => {
    errors.push(...validateContainer(container, path, volumes));
    const lifecycle = (container.lifecycle ?? {}) as Fields;
    errors.push(...validateLifecycle(lifecycle, `${path}.lifecycle`, graceSeconds));
    if (names.has(container.name)) errors.push(duplicate(`${path}.name`, container.name));
    names.add(container.name);
  };
  for (const [at, container] of containers.entries()) each(container, `${field}.containers[${at}]`);
  list(spec.initContainers).forEach((container, at) => {
    const path = `${field}.initContainers[${at}]`;
    each(container, path);
    errors.push(...validateInitContainer(container, path));
  });
  errors.push(...choice(spec.restartPolicy, RESTART_POLICIES, `${field}.restartPolicy`));
  errors.push(...choice(spec.dnsPolicy, DNS_POLICIES, `${field}.dnsPolicy`));
  errors.push(...negative(spec.terminationGracePeriodSeconds, `${field}.terminationGracePeriodSeconds`));
  if (spec.activeDeadlineSeconds !== undefined && (spec.activeDeadlineSeconds as number) < 1) {
    errors.push(
      wrong(
        `${field}.activeDeadlineSeconds`,
        spec.activeDeadlineSeconds,
        'must be between 1 and 2147483647, inclusive',
      ),
    );
  }
  errors.push(...named(spec.serviceAccountName, dnsSubdomain, `${field}.serviceAccountName`));
  errors.push(...named(spec.nodeName, dnsSubdomain, `${field}.nodeName`));
  errors.push(...named(spec.hostname, dnsLabel, `${field}.hostname`));
  errors.push(...named(spec.subdomain, dnsLabel, `${field}.subdomain`));
  return errors;
}

function validateContainer(container: Fields, path: string, volumes: Set<unknown>): FieldError[] {
  const errors: FieldError[] = [];
  if (!container.name) errors.push(required(`${path}.name`));
  else errors.push(...named(container.name, dnsLabel, `${path}.name`));
  const image = container.image as string | undefined;
  if (!image) errors.push(required(`${path}.image`));
  else if (image !== image.trim())
    errors.push(wrong(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  errors.push(...choice(container.imagePullPolicy, PULL_POLICIES, `${path}.imagePullPolicy`));
  errors.push(...validatePorts(list(container.ports), `${path}.ports`));
  errors.push(...validateEnvironment(list(container.env), `${path}.env`));
  errors.push(...validateEnvironmentFrom(list(container.envFrom), `${path}.envFrom`));
  errors.push(...validateMounts(list(container.volumeMounts), `${path}.volumeMounts`, volumes));
  errors.push(...validateResources((container.resources ?? {}) as Fields, `${path}.resources`));
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    if (container[probe]) errors.push(...validateProbe(container[probe] as Fields, `${path}.${probe}`, probe));
  }
  return errors;
}

/** A sidecar (an init container that restarts always) may be probed, others not. */
function validateInitContainer(container: Fields, path: string): FieldError[] {
  if (container.restartPolicy === 'Always') return [];
  return ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle']
    .filter((name) => container[name] !== undefined)
    .map((name) => banned(`${path}.${name}`, 'may not be set for init containers without restartPolicy=Always'));
}

function validatePorts(ports: Fields[], path: string): FieldError[] {
  const names = new Set<unknown>();
  return ports.flatMap((port, at) => {
    const field = `${path}[${at}]`;
    const errors = port.name ? named(port.name, portName, `${field}.name`) : [];
    if (port.name && names.has(port.name)) errors.push(duplicate(`${field}.name`, port.name));
    names.add(port.name);
    if (port.containerPort === undefined || port.containerPort === 0) errors.push(required(`${field}.containerPort`));
    else
      errors.push(
        ...portNumber(port.containerPort).map((problem) =>
          wrong(`${field}.containerPort`, port.containerPort, problem),
        ),
      );
    return [...errors, ...choice(port.protocol, PROTOCOLS, `${field}.protocol`)];
  });
}

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

function validateEnvironment(variables: Fields[], path: string): FieldError[] {
  return variables.flatMap((variable, at) => {
    const field = `${path}[${at}]`;
    if (!variable.name) return [required(`${field}.name`)];
    const errors = named(variable.name, environmentName, `${field}.name`);
    const source = variable.valueFrom as Record<string, Fields> | undefined;
    if (!source) return errors;
    const given = SOURCES.filter((name) => source[name]);
    if (given.length !== 1) {
      const detail =
        given.length === 0
          ? 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
          : 'may not have more than one field specified at a time';
      errors.push(wrong(`${field}.valueFrom`, given.length === 0 ? '' : source, detail));
    }
    if (variable.value) errors.push(wrong(`${field}.valueFrom`, '', 'may not be specified when `value` is not empty'));
    for (const name of ['configMapKeyRef', 'secretKeyRef'])
      errors.push(...validateKeyReference(source[name], `${field}.valueFrom.${name}`));
    return errors;
  });
}

function validateKeyReference(reference: Fields | undefined, field: string): FieldError[] {
  if (!reference) return [];
  if (!reference.name) return [required(`${field}.name`)];
  if (!reference.key) return [required(`${field}.key`)];
  return named(reference.key, configKey, `${field}.key`);
}

function validateEnvironmentFrom(sources: Fields[], path: string): FieldError[] {
  return sources.flatMap((source, at) => {
    const field = `${path}[${at}]`;
    const errors = source.prefix ? named(source.prefix, environmentName, `${field}.prefix`) : [];
    const given = ['configMapRef', 'secretRef'].filter((name) => source[name]);
    if (given.length === 0) errors.push(wrong(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (given.length > 1) errors.push(wrong(field, '', 'may not have more than one field specified at a time'));
    for (const name of given) if (!(source[name] as Fields).name) errors.push(required(`${field}.${name}.name`));
    return errors;
  });
}

function validateMounts(mounts: Fields[], path: string, volumes: Set<unknown>): FieldError[] {
  const paths = new Set<unknown>();
  return mounts.flatMap((mount, at) => {
    const field = `${path}[${at}]`;
    const errors: FieldError[] = [];
    if (!mount.name) errors.push(required(`${field}.name`));
    else if (!volumes.has(mount.name))
      errors.push({ type: 'FieldValueNotFound', field: `${field}.name`, value: mount.name });
    if (!mount.mountPath) errors.push(required(`${field}.mountPath`));
    else if (paths.has(mount.mountPath)) errors.push(wrong(`${field}.mountPath`, mount.mountPath, 'must be unique'));
    paths.add(mount.mountPath);
    const subPath = String(mount.subPath ?? '');
    if (subPath.startsWith('/')) errors.push(wrong(`${field}.subPath`, subPath, 'must be a relative path'));
    if (subPath.split('/').includes('..')) errors.push(wrong(`${field}.subPath`, subPath, "must not contain '..'"));
    return errors;
  });
}

function validateVolumes(volumes: Fields[], path: string): FieldError[] {
  const names = new Set<unknown>();
  return volumes.flatMap((volume, at) => {
    const field = `${path}[${at}]`;
    if (!volume.name) return [required(`${field}.name`)];
    const errors = named(volume.name, dnsLabel, `${field}.name`);
    if (names.has(volume.name)) errors.push(duplicate(`${field}.name`, volume.name));
    names.add(volume.name);
    const sources = Object.keys(volume).filter((key) => key !== 'name');
    if (sources.length === 0) errors.push(required(field, 'must specify a volume type'));
    if (sources.length > 1) errors.push(banned(`${field}.${sources[1]}`, 'may not specify more than 1 volume type'));
    return [...errors, ...validateVolumeSource(volume as Record<string, Fields | undefined>, field)];
  });
}

function validateVolumeSource(
  { secret, configMap, persistentVolumeClaim, hostPath }: Record<string, Fields | undefined>,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (secret && !secret.secretName) errors.push(required(`${field}.secret.secretName`));
  if (configMap && !configMap.name) errors.push(required(`${field}.configMap.name`));
  if (persistentVolumeClaim && !persistentVolumeClaim.claimName)
    errors.push(required(`${field}.persistentVolumeClaim.claimName`));
  if (hostPath && !hostPath.path) errors.push(required(`${field}.hostPath.path`));
  return errors;
}

export function validateResources(resources: Fields, path: string): FieldError[] {
  const limits = (resources.limits ?? {}) as Record<string, string>;
  const requests = (resources.requests ?? {}) as Record<string, string>;
  const errors = [...validateAmounts(limits, `${path}.limits`), ...validateAmounts(requests, `${path}.requests`)];
  for (const [name, amount] of Object.entries(requests)) {
    if (Object.hasOwn(limits, name) && compareQuantities(amount, limits[name]) > 0) {
      errors.push(wrong(`${path}.requests`, amount, `must be less than or equal to ${name} limit of ${limits[name]}`));
    }
  }
  return errors;
}

const CONTAINER_RESOURCES = /^(cpu|memory|ephemeral-storage|hugepages-.+)$/;

function validateAmounts(amounts: Record<string, string>, path: string): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const field = `${path}[${name}]`;
    const errors = qualifiedName(name).map((problem) => wrong(field, name, problem));
    if (!name.includes('/') && !CONTAINER_RESOURCES.test(name))
      errors.push(wrong(field, name, 'must be a standard resource type or fully qualified'));
    if (quantityNanos(amount) < 0n) errors.push(wrong(field, amount, 'must be greater than or equal to 0'));
    return errors;
  });
}
