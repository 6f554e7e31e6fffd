import net from 'node:net';
import { listenTarget, type RuntimeSettings } from './settings.ts';

/**
 * For programs that are not ours. In a container "listen on every address" means the pod's; on a node without containers it would
 * mean every pod's, and fail as soon as two want the same port. So that becomes the pod's own address here, and a port that the node had
 * to move is moved. A program that names an address of its own keeps it.
 */
export function listenOnPod(settings: RuntimeSettings): void {
  const original = net.Server.prototype.listen as (...parameters: unknown[]) => net.Server;
  const listen = function (this: net.Server, ...parameters: unknown[]): net.Server {
    return original.apply(this, movedListen(parameters, settings));
  };
  net.Server.prototype.listen = listen as typeof net.Server.prototype.listen;
}

const EVERY_ADDRESS = new Set(['0.0.0.0', '::', '']);

/** `listen(port, host?, backlog?, callback?)` and `listen({port, host}, callback?)`; pipes and handles are left alone. */
export function movedListen(parameters: unknown[], settings: RuntimeSettings): unknown[] {
  const [first, ...rest] = parameters;
  if (isPort(first)) {
    const host = typeof rest[0] === 'string' ? rest.shift() : '';
    const target = moved(first, host, settings);
    return target ? [target.port, target.host, ...rest] : parameters;
  }
  if (typeof first !== 'object' || first === null || !('port' in first) || !isPort(first.port)) return parameters;
  const target = moved(first.port, 'host' in first ? first.host : '', settings);
  return target ? [{ ...first, ...target }, ...rest] : parameters;
}

function moved(port: number | string, host: unknown, settings: RuntimeSettings) {
  return EVERY_ADDRESS.has(String(host ?? '')) ? listenTarget(settings, Number(port)) : undefined;
}

function isPort(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
}
