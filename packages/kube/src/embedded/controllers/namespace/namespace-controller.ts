import { type Controller, createController, type ReconcileOutcome } from '../../../client/controller.ts';
import type { KubeObject, ResourceType } from '../../../schema/object.ts';
import { NAMESPACE } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { type ControllerContext, timestamp } from '../controller-context.ts';
import { discoverResources } from '../resource-discovery.ts';

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: { type: string; status: string; message?: string }[] };
}

/** Contents stop on their own time (grace periods, finalizers): look again this often. */
const LOOK_AGAIN_MS = 500;

/** Empties a namespace that is being deleted, kind by kind, and lets it go when nothing is left. */
export function createNamespaceController(context: ControllerContext): Controller {
  const namespaces = context.caches.of<Namespace>(NAMESPACE);

  async function reconcile(name: string): Promise<ReconcileOutcome> {
    const namespace = namespaces.get(name);
    if (!namespace?.metadata.deletionTimestamp || !namespace.spec?.finalizers?.includes('kubernetes')) return;
    // Asked each time: a kind may have been defined since, and a failed discovery must not count as "nothing there".
    const types = (await discoverResources(context.client)).filter((type) => type.namespaced);
    const left: { type: ResourceType; items: KubeObject[] }[] = [];
    for (const type of types) left.push({ type, items: await empty(context, type, name) });
    const remaining = left.filter(({ items }) => items.length > 0);
    if (remaining.length === 0) return finalize(context, namespace);
    await report(context, namespace, remaining);
    return { requeueAfterMs: LOOK_AGAIN_MS };
  }

  return createController({ ...context, name: 'namespace', reconcile, concurrency: 2 }).watches(
    namespaces,
    ({ metadata }) => [metadata.name],
  );
}

/** Deletes what is not going yet; returns all that is still there. */
async function empty({ client }: ControllerContext, type: ResourceType, namespace: string): Promise<KubeObject[]> {
  const { items } = await client.list(type, { namespace });
  for (const { metadata } of items) {
    if (metadata.deletionTimestamp) continue;
    try {
      // Background: every dependent in here is on the list itself.
      await client.delete(type, { namespace, name: metadata.name }, { propagationPolicy: 'Background' });
    } catch (error) {
      if (!isKubeError(error, 'NotFound') && !isKubeError(error, 'Conflict')) throw error;
    }
  }
  return items.length === 0 ? [] : (await client.list(type, { namespace })).items;
}

async function finalize({ client }: ControllerContext, namespace: Namespace): Promise<void> {
  const { name } = namespace.metadata;
  const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== 'kubernetes');
  const body = JSON.stringify({ ...namespace, spec: { ...namespace.spec, finalizers } });
  const headers = { 'content-type': 'application/json' };
  const response = await client.raw('PUT', `/api/v1/namespaces/${name}/finalize`, { body, headers });
  const answer = await response.text();
  if (response.status >= 300 && response.status !== 404 && response.status !== 409) {
    throw new Error(`namespace ${name} could not be finalized: ${response.status} ${answer.slice(0, 200)}`);
  }
}

/** Says in the status what the deletion waits for, as people look there when it takes long. */
async function report(
  { client, clock }: ControllerContext,
  namespace: Namespace,
  remaining: { type: ResourceType; items: KubeObject[] }[],
): Promise<void> {
  const names = remaining.map(
    ({ type, items }) => `${type.plural}.${type.group} has ${items.length} resource instances`,
  );
  const message = `Some resources are remaining: ${names.join(', ')}`;
  const type = 'NamespaceContentRemaining';
  const conditions = namespace.status?.conditions ?? [];
  if (conditions.some((one) => one.type === type && one.message === message)) return;
  const condition = {
    type,
    status: 'True',
    reason: 'SomeResourcesRemain',
    message,
    lastTransitionTime: timestamp(clock.now()),
  };
  const status = { ...namespace.status, conditions: [...conditions.filter((one) => one.type !== type), condition] };
  const body = { metadata: { uid: namespace.metadata.uid }, status };
  try {
    await client.patch(
      NAMESPACE,
      { name: namespace.metadata.name },
      { type: 'merge', body },
      { subresource: 'status' },
    );
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}
