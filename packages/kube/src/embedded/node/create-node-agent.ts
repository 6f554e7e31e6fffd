import { connect, type Socket } from 'node:net';
import type { Reflector } from '../../client/reflector.ts';
import { isPodFinished, type Pod } from '../../schema/kinds/pod.ts';
import { KubeError } from '../../schema/status.ts';
import type { NodeAgent, PortRequest } from '../api/node-agent.ts';
import { notRunning } from './pod/exec-in-container.ts';
import { placeOf } from './pod/pod-scene.ts';
import type { PodWorker } from './pod/pod-worker.ts';

export interface NodeAgentOptions {
  pods: Reflector<Pod>;
  workerOf(uid: string): PodWorker | undefined;
  usage: NodeAgent['usage'];
}

const CONNECT_TIMEOUT_MS = 10_000;

/** The node, as the API server asks it. */
export function createNodeAgent({ pods, workerOf, usage }: NodeAgentOptions): NodeAgent {
  function find(at: { namespace: string; pod: string }): { pod: Pod | undefined; worker: PodWorker | undefined } {
    const pod = pods.get(`${at.namespace}/${at.pod}`);
    return { pod, worker: pod && workerOf(pod.metadata.uid ?? '') };
  }

  return {
    async *logs(request) {
      const container = find(request)
        .worker?.containers()
        .find((one) => one.name === request.container);
      if (!container) {
        const message = `container "${request.container}" in pod "${request.pod}" is waiting to start: ContainerCreating`;
        throw new KubeError(400, 'BadRequest', message);
      }
      yield* container.logs(request);
    },
    exec(request) {
      const { pod, worker } = find(request);
      if (!pod || !worker) throw waitsForNode(request.pod);
      if (isPodFinished(pod)) throw notRunning(pod, request.container);
      return worker.exec(request);
    },
    async connect(request) {
      const { pod } = find(request);
      if (!pod?.status?.podIP) throw waitsForNode(request.pod);
      if (isPodFinished(pod)) throw new KubeError(400, 'BadRequest', `pod "${request.pod}" has ended`);
      return connectTo(pod, request);
    },
    usage,
  };
}

function waitsForNode(pod: string): KubeError {
  return new KubeError(400, 'BadRequest', `pod "${pod}" has not been started yet`);
}

function connectTo(pod: Pod, { port }: PortRequest): Promise<Socket> {
  const { podIP, listenPorts } = placeOf(pod);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: podIP, port: listenPorts[String(port)] ?? port, allowHalfOpen: true });
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error(`no answer within ${CONNECT_TIMEOUT_MS} ms`)));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.removeListener('error', reject);
      resolve(socket);
    });
  });
}
