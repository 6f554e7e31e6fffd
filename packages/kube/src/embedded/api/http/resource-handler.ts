import type { KubeObject } from '../../../schema/object.ts';
import { apiVersionOf } from '../../../schema/object.ts';
import { KubeError } from '../../../schema/status.ts';
import { invalid, methodNotAllowed, pageNotFound, required } from '../errors.ts';
import type { Kind, Verb } from '../kind.ts';
import { decodeProtobuf, PROTOBUF } from '../protobuf/envelope.ts';
import { applyObject } from '../rules/apply.ts';
import { createObject } from '../rules/create.ts';
import { type DeleteOptions, deleteCollection, deleteObject, parseDeleteOptions } from '../rules/delete.ts';
import { getObject, listObjects, parseListQuery } from '../rules/list.ts';
import { APPLY_PATCH, JSON_PATCH, MERGE_PATCH, patchObject, STRATEGIC_PATCH } from '../rules/patch.ts';
import { fromStored } from '../rules/rules.ts';
import { type UpdateTarget, updateObject } from '../rules/update.ts';
import { partialOf } from '../table.ts';
import { handleMeasured } from './measured.ts';
import { negotiate } from './negotiate.ts';
import { parseText, readBody } from './read-body.ts';
import { mediaType, type ResourceCall, readObject, ruleRequest, table, writeOptions } from './resource-call.ts';
import { sendJson, sendText } from './respond.ts';
import { serveWatch } from './serve-watch.ts';
import { handleSubresource } from './subresources.ts';

const PATCH_TYPES = new Set([JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH]);

export async function handleResource(call: ResourceCall): Promise<void> {
  const { info, path, kind } = call;
  if (path.subresource !== '' && !isObjectSubresource(kind, path.subresource)) return handleSubresource(call);
  checkScope(call);
  if (kind.measured) return handleMeasured(call);
  if (kind.verbs && !kind.verbs.includes(info.verb as Verb)) throw methodNotAllowed(kind, info.verb);
  switch (info.verb) {
    case 'get':
      return sendRecordOf(call);
    case 'list':
      return sendList(call);
    case 'watch':
      return serveWatch(call);
    case 'create':
      return handleCreate(call);
    case 'update':
      return handleUpdate(call);
    case 'patch':
      return handlePatch(call);
    case 'delete':
      return handleDelete(call);
    case 'deletecollection':
      return handleDeleteCollection(call);
    default:
      throw methodNotAllowed(kind, info.verb);
  }
}

function isObjectSubresource(kind: Kind, subresource: string): boolean {
  return (
    (subresource === 'status' && kind.status === true) ||
    (subresource === 'finalize' && kind.kind === 'Namespace' && kind.group === '')
  );
}

function checkScope({ kind, path, info }: ResourceCall): void {
  if (!kind.namespaced && path.namespace !== '') throw pageNotFound();
  if (kind.namespaced && path.namespace === '' && info.verb !== 'list' && info.verb !== 'watch') {
    if (info.verb === 'create' || info.verb === 'deletecollection') throw methodNotAllowed(kind, info.verb);
    throw pageNotFound();
  }
  if (path.subresource !== '' && !['get', 'update', 'patch'].includes(info.verb))
    throw methodNotAllowed(kind, info.verb);
  if (info.verb === 'create' && path.name !== '') throw methodNotAllowed(kind, 'create');
}

async function handleCreate(call: ResourceCall): Promise<void> {
  const options = writeOptions(call);
  const object = await createObject(call.rules, ruleRequest(call), await readObject(call), options);
  await sendObject(call, 201, object);
}

async function handleUpdate(call: ResourceCall): Promise<void> {
  const input = { target: targetOf(call), body: await readObject(call), options: writeOptions(call) };
  await sendObject(call, 200, await updateObject(call.rules, ruleRequest(call), input));
}

async function handlePatch(call: ResourceCall): Promise<void> {
  const contentType = mediaType(call.reply.request.headers['content-type']);
  if (!PATCH_TYPES.has(contentType)) {
    throw new KubeError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  const patch = parseText(await readBody(call.reply.request), contentType);
  const input = { target: targetOf(call), contentType, patch, options: writeOptions(call) };
  if (contentType === APPLY_PATCH) {
    if (!call.info.query.get('fieldManager')) {
      throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
        required('fieldManager', 'is required for apply patch'),
      ]);
    }
    const { object, created } = await applyObject(call.rules, ruleRequest(call), input);
    return sendObject(call, created ? 201 : 200, object);
  }
  await sendObject(call, 200, await patchObject(call.rules, ruleRequest(call), input));
}

function targetOf({ path }: ResourceCall): UpdateTarget {
  return { name: path.name, subresource: path.subresource as UpdateTarget['subresource'] };
}

async function handleDelete(call: ResourceCall): Promise<void> {
  const options = await readDeleteOptions(call);
  const { kind, path } = call;
  const { object, gone } = await deleteObject(call.rules, ruleRequest(call), { name: path.name, options });
  if (!gone || kind.returnsDeleted) return sendObject(call, 200, object);
  const details = {
    name: path.name,
    ...(kind.group && { group: kind.group }),
    kind: kind.plural,
    uid: object.metadata.uid,
  };
  await sendJson(call.reply, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
}

async function handleDeleteCollection(call: ResourceCall): Promise<void> {
  const options = await readDeleteOptions(call);
  const list = parseListQuery(call.kind, call.info.query, call.rules.store.compacted());
  const found = await deleteCollection(call.rules, ruleRequest(call), { list, options });
  await sendJson(call.reply, 200, listOf(call.kind, found.objects, { resourceVersion: String(found.revision) }));
}

async function readDeleteOptions(call: ResourceCall): Promise<DeleteOptions> {
  const { request } = call.reply;
  const body = await readBody(request);
  if (body.length === 0) return parseDeleteOptions(undefined, call.info.query);
  const type = mediaType(request.headers['content-type']);
  return parseDeleteOptions(type === PROTOBUF ? decodeProtobuf(body) : parseText(body, type), call.info.query);
}

async function sendRecordOf(call: ResourceCall): Promise<void> {
  const record = getObject(call.rules, ruleRequest(call), call.path.name);
  const object = fromStored(call.kind, record.object);
  // The stored JSON is the answer, unless the version or the form differ.
  const plain = object === record.object && negotiate(call.reply.request.headers.accept) === 'object';
  if (plain) await sendText(call.reply, 200, `${record.json}\n`);
  else await sendObject(call, 200, object);
}

export async function sendObject(call: ResourceCall, status: number, object: KubeObject): Promise<void> {
  const form = negotiate(call.reply.request.headers.accept);
  const body =
    form === 'object'
      ? object
      : form === 'metadata'
        ? partialOf(object)
        : table(call, [object], { resourceVersion: object.metadata.resourceVersion });
  await sendJson(call.reply, status, body);
}

async function sendList(call: ResourceCall): Promise<void> {
  const { kind, info, rules } = call;
  const form = negotiate(call.reply.request.headers.accept);
  const found = listObjects(rules, ruleRequest(call), parseListQuery(kind, info.query, rules.store.compacted()));
  const metadata = {
    resourceVersion: String(found.revision),
    ...(found.continue && { continue: found.continue }),
    ...(found.remaining && { remainingItemCount: found.remaining }),
  };
  if (form === 'table') return sendJson(call.reply, 200, table(call, found.objects, metadata));
  if (form === 'metadata') {
    const list = {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: found.objects.map(partialOf),
    };
    return sendJson(call.reply, 200, list);
  }
  if (kind.version !== kind.storedVersion) return sendJson(call.reply, 200, listOf(kind, found.objects, metadata));
  const head = JSON.stringify({ kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), metadata });
  await sendText(
    call.reply,
    200,
    `${head.slice(0, -1)},"items":[${found.records.map(({ json }) => json).join(',')}]}\n`,
  );
}

function listOf(kind: Kind, items: KubeObject[], metadata: Record<string, unknown>) {
  return { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), metadata, items };
}
