import { escapeExpansion } from '@berth/core/environment';
import type { Probe } from '@berth/core/service';
import type { Workload } from './workload.ts';

export function probeOf(probe: Probe, ports: Workload['ports'] = []): Record<string, unknown> {
  const { http, tcp, exec, grpc, ...timing } = probe;
  if (http) return { httpGet: { path: http.path, port: http.port }, ...timing };
  if (tcp) return { tcpSocket: { port: tcp.port }, ...timing };
  if (grpc) {
    // Alone of all probes this one takes no name of a port.
    const port = ports.find(({ name }) => name === grpc.port)?.port;
    return { grpc: { port, ...(grpc.service !== undefined && { service: grpc.service }) }, ...timing };
  }
  // The kubelet expands `$(NAME)` in a probe's command as it does in the container's own.
  return { exec: { command: (exec?.command ?? []).map(escapeExpansion) }, ...timing };
}
