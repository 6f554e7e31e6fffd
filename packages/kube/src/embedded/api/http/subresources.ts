import { pageNotFound } from '../errors.ts';
import { handlePodBinding } from './pod-binding.ts';
import { handlePodExec } from './pod-exec.ts';
import { handlePodLog } from './pod-log.ts';
import { handlePodPortForward } from './pod-port-forward.ts';
import type { ResourceCall } from './resource-call.ts';
import { handleScale } from './scale.ts';
import { handleTokenRequest } from './token-request.ts';

/** Subresources that answer with something other than the object itself. */
const HANDLERS: Record<string, (call: ResourceCall) => Promise<void>> = {
  'pods/binding': handlePodBinding,
  'pods/exec': handlePodExec,
  'pods/log': handlePodLog,
  'pods/portforward': handlePodPortForward,
  'serviceaccounts/token': handleTokenRequest,
};

export async function handleSubresource(call: ResourceCall): Promise<void> {
  const { kind, path } = call;
  if (path.subresource === 'scale' && kind.scale) return handleScale(call, kind.scale);
  const handler = HANDLERS[`${kind.plural}/${path.subresource}`];
  // attach, eviction and the like: as on a server that has no such thing.
  if (!handler || !kind.others?.some(({ name }) => name === path.subresource)) throw pageNotFound();
  return handler(call);
}
