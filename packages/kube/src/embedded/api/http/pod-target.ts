import type { KubeObject } from '../../../schema/object.ts';
import { KubeError } from '../../../schema/status.ts';
import { badRequest, methodNotAllowed } from '../errors.ts';
import { at } from '../kinds/define.ts';
import { list } from '../kinds/pod-defaults.ts';
import type { NodeAgent } from '../node-agent.ts';
import { getObject } from '../rules/list.ts';
import { type ResourceCall, ruleRequest } from './resource-call.ts';

/** The running pod that a request wants to get into, and the node that can bring it there. */
export function podOnNode(call: ResourceCall): { pod: KubeObject; agent: NodeAgent } {
  if (call.info.verb !== 'get' && call.info.verb !== 'create') throw methodNotAllowed(call.kind, call.info.verb);
  const { object: pod } = getObject(call.rules, ruleRequest(call), call.path.name);
  if (!at(pod, 'spec', 'nodeName')) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  const agent = call.nodeAgent();
  if (!agent) throw new KubeError(503, 'ServiceUnavailable', 'no node is running that could reach the pod');
  return { pod, agent };
}

/** A pod with several containers has to be told which. */
export function containerOf(pod: KubeObject, wanted: string): string {
  const containers = list(at(pod, 'spec', 'containers')).map(({ name }) => String(name));
  const initial = list(at(pod, 'spec', 'initContainers')).map(({ name }) => String(name));
  if (wanted !== '') {
    if ([...containers, ...initial].includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${pod.metadata.name}`);
  }
  if (containers.length === 1 && initial.length === 0) return containers[0]!;
  const known = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  if (known && containers.includes(known)) return known;
  if (containers.length === 1) return containers[0]!;
  const init = initial.length > 0 ? ` or one of the init containers: [${initial.join(' ')}]` : '';
  throw badRequest(
    `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${containers.join(' ')}]${init}`,
  );
}
