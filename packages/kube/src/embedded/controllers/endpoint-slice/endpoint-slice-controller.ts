import { type Controller, createController } from '../../../client/controller.ts';
import { controllerOf } from '../../../client/owner.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import { type EndpointSlice, SERVICE_NAME_LABEL, type Service } from '../../../schema/kinds/service.ts';
import { objectKey } from '../../../schema/object.ts';
import { ENDPOINT_SLICE, POD, SERVICE } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { BY_NAMESPACE } from '../../caches.ts';
import { addressOf, type ControllerContext } from '../controller-context.ts';
import { stableJson } from '../stable-hash.ts';
import { desiredSlices } from './desired-slices.ts';

/** Keeps the addresses behind each Service that has a selector. Slices that others made for a Service are left alone. */
export function createEndpointSliceController(context: ControllerContext): Controller {
  const services = context.caches.of<Service>(SERVICE);
  const pods = context.caches.of<Pod>(POD);
  const slices = context.caches.of<EndpointSlice>(ENDPOINT_SLICE);

  async function reconcile(key: string): Promise<void> {
    const service = services.get(key);
    // The slices of a Service that is gone are the garbage collector's.
    if (!service || service.metadata.deletionTimestamp || !hasSelector(service)) return;
    const namespace = service.metadata.namespace ?? '';
    const selected = pods.byIndex(BY_NAMESPACE, namespace).filter((pod) => selects(service, pod));
    const existing = slices
      .byIndex(BY_NAMESPACE, namespace)
      .filter((slice) => controllerOf(slice)?.uid === service.metadata.uid);
    const wanted = desiredSlices(service, selected);
    for (const slice of wanted) {
      await write(
        context,
        slice,
        existing.find((one) => one.metadata.name === slice.metadata.name),
      );
    }
    const names = new Set(wanted.map((slice) => slice.metadata.name));
    for (const slice of existing.filter((one) => !names.has(one.metadata.name))) {
      await context.client.delete(ENDPOINT_SLICE, addressOf(slice));
    }
  }

  return createController({ ...context, name: 'endpointslice', reconcile, concurrency: 4 })
    .watches(services, (service) => [objectKey(service)])
    .watches(pods, (pod) =>
      services
        .byIndex(BY_NAMESPACE, pod.metadata.namespace ?? '')
        .filter((service) => selects(service, pod))
        .map(objectKey),
    )
    .watches(slices, (slice) => {
      const name = slice.metadata.labels?.[SERVICE_NAME_LABEL];
      return name ? [`${slice.metadata.namespace}/${name}`] : [];
    });
}

function hasSelector(service: Service): boolean {
  return Object.keys(service.spec.selector ?? {}).length > 0;
}

function selects(service: Service, pod: Pod): boolean {
  const labels = pod.metadata.labels ?? {};
  const entries = Object.entries(service.spec.selector ?? {});
  return entries.length > 0 && entries.every(([key, value]) => labels[key] === value);
}

async function write(
  { client }: ControllerContext,
  wanted: EndpointSlice,
  existing: EndpointSlice | undefined,
): Promise<void> {
  if (!existing) {
    try {
      await client.create(ENDPOINT_SLICE, wanted);
    } catch (error) {
      // The cache has not shown ours yet; its arrival brings us back here.
      if (!isKubeError(error, 'AlreadyExists')) throw error;
    }
    return;
  }
  if (stableJson(content(existing)) === stableJson(content(wanted))) return;
  const { resourceVersion } = existing.metadata;
  await client.replace(ENDPOINT_SLICE, {
    ...wanted,
    metadata: { ...wanted.metadata, ...(resourceVersion ? { resourceVersion } : {}) },
  });
}

function content(slice: EndpointSlice): unknown {
  return [slice.metadata.labels, slice.endpoints ?? [], slice.ports ?? []];
}
