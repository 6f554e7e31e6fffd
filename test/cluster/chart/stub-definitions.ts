/** Kinds of others that the chart can make and that are not in this cluster, known by their names alone. */
interface Stub {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations: Record<string, string> };
  spec: object;
}

export function stubDefinitions(): Stub[] {
  return [
    stub('monitoring.coreos.com', 'v1', { kind: 'ServiceMonitor', plural: 'servicemonitors' }),
    stub('gateway.networking.k8s.io', 'v1', { kind: 'HTTPRoute', plural: 'httproutes' }),
  ];
}

function stub(group: string, version: string, names: { kind: string; plural: string }): Stub {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${names.plural}.${group}`,
      // Names under k8s.io are only taken with a word on who allowed it.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a stand-in for a test' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { ...names, singular: names.kind.toLowerCase(), listKind: `${names.kind}List` },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}
