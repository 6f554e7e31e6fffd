/** Bodies that several areas use. */
export const configMap = (name: string, data: object = { key: 'value' }, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

export const IMAGE = 'berth.dev/whoami:1';

/** Fits the restricted level; runs a shell script where one is given, else the image's own program. */
export const podSpec = (script?: string, container: object = {}) => ({
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 1,
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'main',
      image: IMAGE,
      ...(script !== undefined && { command: ['/bin/sh', '-c', script] }),
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      ...container,
    },
  ],
});

export const pod = (name: string, spec: object = podSpec(), metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec,
});

export const deployment = (name: string, more: object = {}, spec: object = podSpec()) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec },
    ...more,
  },
});

export const service = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 'http' }], ...spec },
});

export const job = (name: string, script: string, more: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { backoffLimit: 0, ...more, template: { spec: { restartPolicy: 'Never', ...podSpec(script) } } },
});
