import type { KubeObject } from '../../../schema/object.ts';
import { badRequest, conflict, methodNotAllowed } from '../errors.ts';
import { at } from '../kinds/define.ts';
import { changeObject } from '../rules/update.ts';
import { type ResourceCall, readObject, ruleRequest, writeOptions } from './resource-call.ts';
import { sendJson } from './respond.ts';

/** `POST pods/x/binding`: gives a pod its node, once. How a scheduler does it. */
export async function handlePodBinding(call: ResourceCall): Promise<void> {
  if (call.info.verb !== 'create') throw methodNotAllowed(call.kind, call.info.verb);
  const binding = await readObject(call);
  const nodeName = at(binding, 'target', 'name');
  if (typeof nodeName !== 'string' || nodeName === '') throw badRequest('target.name: Required value');
  await changeObject(call.rules, ruleRequest(call), {
    target: { name: call.path.name, subresource: '' },
    options: writeOptions(call),
    change: (old) => bind(call, old, { nodeName, uid: at(binding, 'metadata', 'uid') }),
  });
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  await sendJson(call.reply, 201, status);
}

function bind({ kind, now }: ResourceCall, old: KubeObject, to: { nodeName: string; uid: unknown }): KubeObject {
  const { name, uid, deletionTimestamp } = old.metadata;
  if (typeof to.uid === 'string' && to.uid !== '' && to.uid !== uid) {
    const reason = `Precondition failed: UID in precondition: ${to.uid}, UID in object meta: ${uid}`;
    throw conflict(kind, name, reason);
  }
  if (deletionTimestamp) throw conflict(kind, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  const assigned = at(old, 'spec', 'nodeName');
  if (assigned) throw conflict(kind, name, `pod ${name} is already assigned to node "${assigned}"`);
  const pod = structuredClone(old);
  pod.spec = { ...(pod.spec as object), nodeName: to.nodeName };
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: `${new Date(now()).toISOString().slice(0, 19)}Z`,
  };
  const status = (pod.status ?? {}) as { conditions?: { type: string }[] };
  const others = (status.conditions ?? []).filter(({ type }) => type !== scheduled.type);
  pod.status = { ...status, conditions: [...others, scheduled] };
  return pod;
}
