/** What one request looks like from inside the pod. */
export interface Sighting {
  greeting: string;
  hostname: string;
  pod?: string;
  namespace?: string;
  remoteAddress: string;
  method: string;
  url: string;
  httpVersion: string;
  headers: Record<string, string>;
}
