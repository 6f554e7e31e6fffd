import { escapeExpansion } from '@berth/core/environment';
import type { Probe } from '@berth/core/service';

export function probeOf(probe: Probe): Record<string, unknown> {
  const { http, tcp, exec, ...timing } = probe;
  if (http) return { httpGet: { path: http.path, port: http.port }, ...timing };
  if (tcp) return { tcpSocket: { port: tcp.port }, ...timing };
  // The kubelet expands `$(NAME)` in a probe's command as it does in the container's own.
  return { exec: { command: (exec?.command ?? []).map(escapeExpansion) }, ...timing };
}
