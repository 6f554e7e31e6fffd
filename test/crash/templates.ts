/** A team's own template whose image is a parameter: one that is nowhere makes a version that cannot run. It has a job before its start. */
export const BREAKABLE = `apiVersion: berth.dev/v1alpha1
kind: Template
metadata:
  name: breakable
spec:
  kind: deployment
  version: 1.0.0
  displayName: Breakable
  description: Runs, or does not.
  category: app
  parameters:
    - { name: greeting, label: Greeting, type: text, default: hello }
    - { name: image, label: Image, type: text, default: "berth.dev/whoami:1" }
  services:
    - name: web
      image: \${{ parameters.image }}
      dependsOn: [prepare]
      readyWithinSeconds: 60
      env:
        - { name: PORT, value: "8080" }
        - { name: GREETING, value: "\${{ parameters.greeting }}" }
      ports: [{ name: http, port: 8080 }]
      probes:
        readiness: { http: { path: /healthz, port: http }, periodSeconds: 1 }
      resources:
        requests: { cpu: 10m, memory: 32Mi }
  jobs:
    - name: prepare
      image: berth.dev/whoami:1
      command: [/bin/sh, -c, "echo prepared"]
  exposure: { service: web, port: http }
`;

export const GOOD_IMAGE = 'berth.dev/whoami:1';
export const MISSING_IMAGE = 'berth.dev/nowhere:1';
