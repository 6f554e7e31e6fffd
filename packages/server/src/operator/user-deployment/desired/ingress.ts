import { serviceObjectName } from '@berth/core/names';
import type { Exposure } from '@berth/core/user-deployment';
import { INGRESS } from '@berth/kube/schema/resources';
import { type Child, makeChild, type Owner } from './child.ts';

export interface IngressOptions {
  /** The cluster's default class when absent. */
  ingressClassName?: string | undefined;
  /** Plain HTTP when absent: the embedded router, or TLS that ends in front of the cluster. */
  ingressTls?: IngressTls | undefined;
  /** On every Ingress: how the controller of this cluster is told what no field says. */
  ingressAnnotations?: Readonly<Record<string, string>> | undefined;
}

/** The controller's own certificate for every host, one for each deployment by cert-manager, or one Secret that every namespace has. */
export type IngressTls = { defaultCertificate: true } | { clusterIssuer: string } | { secretName: string };

/** Routes the granted hosts and no others: a host that is not claimed may be somebody else's. */
export function ingressOf(
  owner: Owner,
  {
    exposure,
    grantedHosts,
    options,
  }: { exposure: readonly Exposure[]; grantedHosts: readonly string[]; options: IngressOptions },
): Child | undefined {
  const routed = exposure.filter(({ host }) => grantedHosts.includes(host));
  if (routed.length === 0) return undefined;
  const { ingressClassName, ingressTls: tls, ingressAnnotations } = options;
  const issuer = tls && 'clusterIssuer' in tls ? { 'cert-manager.io/cluster-issuer': tls.clusterIssuer } : undefined;
  const hosts = routed.map(({ host }) => host);
  return makeChild(owner, INGRESS, {
    name: owner.name,
    ...((issuer || ingressAnnotations) && { annotations: { ...ingressAnnotations, ...issuer } }),
    body: {
      spec: {
        ...(ingressClassName !== undefined && { ingressClassName }),
        ...(tls && { tls: [{ hosts, ...certificateOf(owner, tls) }] }),
        rules: routed.map((each) => ({ host: each.host, http: { paths: pathsOf(owner, each) } })),
      },
    },
  });
}

/** Of several that fit the longest counts, wherever it stands. */
function pathsOf(owner: Owner, { service, port, paths = [] }: Exposure) {
  return [...paths, { path: '/', service, port }].map((each) => ({
    path: each.path,
    pathType: 'Prefix',
    backend: { service: { name: serviceObjectName(owner.name, each.service), port: { name: each.port } } },
  }));
}

function certificateOf(owner: Owner, tls: IngressTls): { secretName?: string } {
  if ('defaultCertificate' in tls) return {};
  return { secretName: 'secretName' in tls ? tls.secretName : certificateName(owner) };
}

/** Two hyphens: no Secret of a service can have this name. */
function certificateName(owner: Owner): string {
  return `${owner.name}--tls`;
}
