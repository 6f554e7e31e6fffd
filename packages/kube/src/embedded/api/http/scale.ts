import type { LabelSelector } from '../../../schema/label-selector.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { badRequest, conflict, invalid, MODIFIED, methodNotAllowed, wrong } from '../errors.ts';
import type { ScalePaths } from '../kind.ts';
import { at } from '../kinds/define.ts';
import { selectorText } from '../kinds/workload.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { getObject } from '../rules/list.ts';
import { MERGE_PATCH, STRATEGIC_PATCH } from '../rules/patch.ts';
import { fromStored } from '../rules/rules.ts';
import { changeObject } from '../rules/update.ts';
import { parseText, readBody } from './read-body.ts';
import { type ResourceCall, readObject, ruleRequest, writeOptions } from './resource-call.ts';
import { sendJson } from './respond.ts';

/** `autoscaling/v1` Scale: replicas of anything that has them, read and written alike. */
export async function handleScale(call: ResourceCall, paths: ScalePaths): Promise<void> {
  const { info } = call;
  if (info.verb === 'get') return sendJson(call.reply, 200, scaleOf(current(call), paths));
  if (info.verb !== 'update' && info.verb !== 'patch') throw methodNotAllowed(call.kind, info.verb);
  const wanted = info.verb === 'update' ? () => sent : (scale: unknown) => mergePatch(scale, sent);
  const sent = info.verb === 'update' ? await readObject(call) : await readPatch(call);
  // Whoever scales did not write the rest: no warnings about it.
  const request = { ...ruleRequest(call), warn: () => undefined };
  const object = await changeObject(call.rules, request, {
    target: { name: call.path.name, subresource: '' },
    options: { ...writeOptions(call), trackedAs: 'scale' },
    change: (old) => withReplicas(call, old, { paths, scale: wanted(scaleOf(old, paths)) }),
  });
  await sendJson(call.reply, 200, scaleOf(object, paths));
}

function current(call: ResourceCall): KubeObject {
  return fromStored(call.kind, getObject(call.rules, ruleRequest(call), call.path.name).object);
}

async function readPatch(call: ResourceCall): Promise<unknown> {
  const type = (call.reply.request.headers['content-type'] ?? '').split(';')[0]!;
  if (type !== MERGE_PATCH && type !== STRATEGIC_PATCH) throw badRequest('a scale is patched by a merge patch');
  return parseText(await readBody(call.reply.request), type);
}

function withReplicas(
  call: ResourceCall,
  old: KubeObject,
  { paths, scale }: { paths: ScalePaths; scale: unknown },
): KubeObject {
  const { resourceVersion, name } = (at(scale, 'metadata') ?? {}) as { resourceVersion?: string; name?: string };
  if (name !== undefined && name !== old.metadata.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${old.metadata.name})`);
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(call.kind, old.metadata.name, MODIFIED);
  const replicas = at(scale, 'spec', 'replicas') ?? 0;
  if (!Number.isInteger(replicas) || (replicas as number) < 0) {
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, old.metadata.name, [
      wrong('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  }
  const object = structuredClone(old);
  let node = object as Record<string, unknown>;
  for (const field of paths.replicas.slice(0, -1)) {
    node[field] ??= {};
    node = node[field] as Record<string, unknown>;
  }
  node[paths.replicas.at(-1)!] = replicas;
  return object;
}

function scaleOf(object: KubeObject, paths: ScalePaths) {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = paths.selector && at(object, ...paths.selector);
  const text = typeof selector === 'string' ? selector : selector && selectorText(selector as LabelSelector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    // None is not said, as by a real server.
    spec: { replicas: at(object, ...paths.replicas) || undefined },
    status: { replicas: at(object, ...paths.statusReplicas) ?? 0, ...(text ? { selector: text } : {}) },
  };
}
