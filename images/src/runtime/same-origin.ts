import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request may change something. Browsers say where a request comes from: `Origin` on every POST, and
 * `Sec-Fetch-Site` in all current ones. A client that sends neither is no browser and carries nobody's credentials.
 */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (headers.origin === undefined) return true;
  try {
    return new URL(headers.origin).host === headers.host;
  } catch {
    // `Origin: null` comes from sandboxed frames and is nobody we know.
    return false;
  }
}
