import { type Port, serveTab, type ToHub, type ToTab } from './live-port.ts';
import { createTopicHub } from './topic-hub.ts';

/** The shared worker: one for all tabs of a browser, whatever page each is on. */
const hub = createTopicHub();
const scope = globalThis as unknown as { onconnect: ((event: MessageEvent) => void) | null };

scope.onconnect = ({ ports: [port] }) => {
  if (port) serveTab(hub, port as unknown as Port<ToTab, ToHub>);
};
