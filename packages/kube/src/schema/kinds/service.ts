import type { KubeObject } from '../object.ts';

export interface Service extends KubeObject {
  spec: {
    type?: string;
    clusterIP?: string;
    clusterIPs?: string[];
    selector?: Record<string, string>;
    ports?: ServicePort[];
    publishNotReadyAddresses?: boolean;
    [field: string]: unknown;
  };
}

export interface ServicePort {
  name?: string;
  port: number;
  targetPort?: number | string;
  protocol?: string;
  appProtocol?: string;
}

export interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints: Endpoint[];
  ports?: EndpointPort[];
}

export interface Endpoint {
  addresses: string[];
  conditions: { ready: boolean; serving: boolean; terminating: boolean };
  targetRef?: { kind: string; name: string; namespace?: string; uid?: string };
  nodeName?: string;
}

export interface EndpointPort {
  name: string;
  port: number;
  protocol: string;
  appProtocol?: string;
}

export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

export function isHeadless(service: Service): boolean {
  return service.spec.clusterIP === 'None';
}
