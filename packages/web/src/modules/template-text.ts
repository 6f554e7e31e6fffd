/** Small changes to the text of a template that leave all else in it, comments too, as it was written. */

export const BLANK_TEMPLATE = `apiVersion: berth.dev/v1alpha1
kind: Template
metadata:
  name: my-app
spec:
  kind: deployment
  version: 1.0.0
  displayName: My app
  description: What it is, in a sentence.
  category: app

  # What people are asked. Each answer is \${{ parameters.NAME }} below.
  parameters:
    - name: greeting
      label: Greeting
      type: text
      default: Hello
      help: The headline of the page.

  # What runs. Services reach each other as \${{ services.NAME.host }}.
  services:
    - name: web
      image: berth.dev/whoami:1
      env:
        - name: PORT
          value: "8080"
        - name: GREETING
          value: \${{ parameters.greeting }}
      ports:
        - name: http
          port: 8080
      probes:
        readiness:
          http: { path: /healthz, port: http }
      resources:
        requests: { cpu: 25m, memory: 48Mi }
        limits: { cpu: 500m, memory: 128Mi }

  # What the public address reaches.
  exposure:
    service: web
    port: http
`;

const NAME = /^(metadata:[^\S\n]*\n(?:[^\S\n]+.*\n|\s*\n)*?[^\S\n]+name:[^\S\n]*)([^\s#]+)/m;
const VERSION = /^(spec:[^\S\n]*\n(?:[^\S\n]+.*\n|\s*\n)*?[^\S\n]+version:[^\S\n]*)([^\s#]+)/m;

export function withName(text: string, name: string): string {
  return text.replace(NAME, (_, before: string) => before + name);
}

export function withVersion(text: string, version: string): string {
  return text.replace(VERSION, (_, before: string) => before + version);
}

/** The one after the newest of those that are there. */
export function nextVersion(versions: readonly string[]): string {
  const [newest] = versions.toSorted(compareVersions).toReversed();
  if (newest === undefined) return '1.0.0';
  const [major, minor, patch = 0] = newest.split('.').map(Number);
  return `${major}.${minor}.${patch + 1}`;
}

export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let at = 0; at < 3; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
