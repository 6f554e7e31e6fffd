import { isIP } from 'node:net';
import { isLoopback } from '../configuration/up-options.ts';

/**
 * The hosts at which the platform itself answers: its public name, the domain, and on loopback what people type. Any other host is
 * an app's or nobody's: were it sent to the server, a page could reach the platform under a name of its own choice.
 */
export function platformHosts(input: { publicUrl: string; domain: string; bind: string }): string[] {
  const local = isLoopback(input.bind) ? ['localhost', '127.0.0.1', '[::1]'] : [];
  const bound =
    input.bind === '0.0.0.0' || input.bind === '::' ? [] : [isIP(input.bind) === 6 ? `[${input.bind}]` : input.bind];
  return [...new Set([new URL(input.publicUrl).hostname, input.domain, ...bound, ...local])];
}
