import { apiVersionOf, type KubeObject } from '../../../schema/object.ts';
import { methodNotAllowed, notFound } from '../errors.ts';
import { getObject, listObjects, parseListQuery } from '../rules/list.ts';
import { partialOf } from '../table.ts';
import { negotiate } from './negotiate.ts';
import { type ResourceCall, ruleRequest, table } from './resource-call.ts';
import { sendJson } from './respond.ts';

/** Kinds that are measured: stored objects, each seen through the node's latest sample. */
export async function handleMeasured(call: ResourceCall): Promise<void> {
  const { kind, info, path, rules } = call;
  if (info.verb === 'get') {
    const object = measure(call, getObject(rules, ruleRequest(call), path.name).object);
    if (!object) throw notFound(kind, path.name);
    return send(call, [object], object);
  }
  if (info.verb !== 'list') throw methodNotAllowed(kind, info.verb);
  const { objects } = listObjects(rules, ruleRequest(call), parseListQuery(kind, info.query, rules.store.compacted()));
  const items = objects.flatMap((object) => measure(call, object) ?? []);
  return send(call, items, { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), metadata: {}, items });
}

function measure({ kind, nodeAgent }: ResourceCall, object: KubeObject): KubeObject | undefined {
  const sample = nodeAgent()?.usage();
  return sample && kind.measured?.(object, sample);
}

function send(call: ResourceCall, objects: KubeObject[], body: unknown): Promise<void> {
  const form = negotiate(call.reply.request.headers.accept);
  if (form === 'table') return sendJson(call.reply, 200, table(call, objects, {}));
  if (form !== 'metadata') return sendJson(call.reply, 200, body);
  const [only] = call.info.verb === 'get' ? objects : [];
  if (only) return sendJson(call.reply, 200, partialOf(only));
  const items = objects.map(partialOf);
  return sendJson(call.reply, 200, {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    items,
  });
}
