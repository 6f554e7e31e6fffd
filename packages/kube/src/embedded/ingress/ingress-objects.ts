import type { KubeObject } from '../../schema/object.ts';

/** The parts of the networking kinds that routing reads. Everything may be missing: the router does not trust its input. */
export interface Ingress extends KubeObject {
  spec?: {
    ingressClassName?: string;
    defaultBackend?: IngressBackend;
    rules?: { host?: string; http?: { paths?: IngressPath[] } }[];
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

export interface IngressPath {
  path?: string;
  pathType?: string;
  backend?: IngressBackend;
}

export interface IngressBackend {
  service?: { name?: string; port?: { name?: string; number?: number } };
}

export interface Service extends KubeObject {
  spec?: { ports?: { name?: string; port?: number }[] };
}

export interface EndpointSlice extends KubeObject {
  endpoints?: {
    addresses?: string[];
    conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
  }[];
  ports?: { name?: string; port?: number }[];
}

export interface IngressClass extends KubeObject {
  spec?: { controller?: string };
}

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const DEFAULT_CLASS_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';

/** One without a class belongs to the class that is marked as the default, when that is ours. */
export function isOurs(ingress: Ingress, className: string, classes: IngressClass[]): boolean {
  const named = ingress.spec?.ingressClassName ?? ingress.metadata.annotations?.[CLASS_ANNOTATION];
  if (named !== undefined) return named === className;
  const ours = classes.find(({ metadata }) => metadata.name === className);
  return ours?.metadata.annotations?.[DEFAULT_CLASS_ANNOTATION] === 'true';
}
