/** A template of the test's own: a program that is given as a text, two pods, readiness that is late, and a setting that breaks it. */
export function templateOf(program: { node: string; source: string; ledger: string }): string {
  // What a platform has kept of an earlier run never changes.
  const version = `1.0.${Math.floor(Date.now() / 1000)}`;
  return `apiVersion: berth.dev/v1alpha1
kind: Template
metadata:
  name: load
spec:
  kind: deployment
  version: ${version}
  displayName: Load
  description: Counts what is posted to it.
  category: app
  parameters:
    - { name: version, label: Version, type: text, required: true, default: "0" }
    - { name: readyAfterMs, label: Ready after, type: text, required: true, default: "0" }
    - { name: broken, label: Broken, type: text }
  services:
    - name: web
      image: berth.dev/whoami:1
      command: [${JSON.stringify(program.node)}, --input-type=module, --eval, ${JSON.stringify(program.source)}]
      replicas: 2
      readyWithinSeconds: 20
      stopGraceSeconds: 15
      env:
        - { name: LEDGER, value: ${JSON.stringify(program.ledger)} }
        - { name: VERSION, value: "\${{ parameters.version }}" }
        - { name: READY_AFTER_MS, value: "\${{ parameters.readyAfterMs }}" }
        - { name: BROKEN, value: "\${{ parameters.broken }}" }
      ports:
        - { name: http, port: 8080 }
      probes:
        readiness:
          http: { path: /ready, port: http }
          periodSeconds: 1
      resources:
        requests: { cpu: 50m, memory: 32Mi }
  exposure: { service: web, port: http }
`;
}
