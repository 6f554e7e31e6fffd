import type { Logger } from '../../../client/logger.ts';
import { CUSTOM_RESOURCE_DEFINITION } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { MASTERS } from '../auth/authorize.ts';
import type { Kind } from '../kind.ts';
import { CLEANUP_FINALIZER } from '../kinds/custom-resource-definition.ts';
import { deleteObject } from '../rules/delete.ts';
import type { RuleRequest, Rules } from '../rules/rules.ts';
import { changeObject } from '../rules/update.ts';
import { customKinds } from './custom-kind.ts';
import type { Definition } from './definition.ts';
import { isTrue, setCondition } from './names.ts';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const USER = { name: 'system:apiserver', groups: [MASTERS] };

/**
 * Keeps the registry in step with the definitions: what is committed is served at once. A definition that is going first loses its
 * objects, then its finalizer. The result stops following.
 */
export function followDefinitions(rules: Rules, logger: Logger | undefined): () => void {
  const { store } = rules;
  const watchers = new Map<string, () => void>();
  const serve = (definition: Definition) => {
    const served = isTrue(definition.status.conditions, 'Established');
    rules.registry.setCustom(definition.metadata.name, served ? customKinds(definition) : []);
    if (definition.metadata.deletionTimestamp && !watchers.has(definition.metadata.name)) empty(definition);
  };
  /** Looks again whenever one of its objects goes: finalizers take their time. */
  const empty = (definition: Definition) => {
    const { name } = definition.metadata;
    const again = () => {
      cleanUp(rules, definition).catch((error: unknown) =>
        logger?.error({ err: error, name }, 'objects of a definition not removed'),
      );
    };
    watchers.set(
      name,
      store.watch(resourceOf(definition), store.revision(), ({ type }) => type === 'DELETED' && again()),
    );
    again();
  };
  const forget = (name: string) => {
    rules.registry.setCustom(name, []);
    watchers.get(name)?.();
    watchers.delete(name);
  };
  for (const { object } of store.list(DEFINITIONS)) serve(object as Definition);
  const stop = store.watch(DEFINITIONS, store.revision(), ({ type, record }) => {
    if (type === 'DELETED') forget(record.address.name);
    else serve(record.object as Definition);
  });
  return () => {
    stop();
    for (const end of watchers.values()) end();
  };
}

function resourceOf({ spec }: Definition): string {
  return `${spec.names.plural}.${spec.group}`;
}

async function cleanUp(rules: Rules, definition: Definition): Promise<void> {
  const kind = customKinds(definition)[0];
  if (kind)
    for (const { address, object } of rules.store.list(kind.storage))
      if (!object.metadata.deletionTimestamp) await remove(rules, kind, address);
  if (rules.store.list(resourceOf(definition)).length > 0) return;
  await release(rules, definition);
}

async function remove(
  rules: Rules,
  kind: Kind,
  { namespace, name }: { namespace: string; name: string },
): Promise<void> {
  const request: RuleRequest = { kind, namespace, user: USER, warn: () => undefined };
  try {
    await deleteObject(rules, request, { name, options: { dryRun: false } });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}

async function release(rules: Rules, { metadata }: Definition): Promise<void> {
  const { group, version, plural } = CUSTOM_RESOURCE_DEFINITION;
  const kind = rules.registry.find(group, version, plural)!;
  const request: RuleRequest = { kind, namespace: '', user: USER, warn: () => undefined };
  const options = { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Ignore' as const };
  try {
    await changeObject(rules, request, {
      target: { name: metadata.name, subresource: 'finalize' },
      options,
      change: (current) => {
        const wanted = structuredClone(current) as Definition;
        wanted.metadata.finalizers = (wanted.metadata.finalizers ?? []).filter((name) => name !== CLEANUP_FINALIZER);
        setCondition(
          wanted,
          { now: rules.clock.now() },
          {
            type: 'Terminating',
            status: 'False',
            reason: 'InstanceDeletionCompleted',
            message: 'removed all instances',
          },
        );
        return wanted;
      },
    });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}
