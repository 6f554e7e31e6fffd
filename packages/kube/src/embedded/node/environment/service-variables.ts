import { isHeadless, type Service } from '../../../schema/kinds/service.ts';

/** `NAME_SERVICE_HOST`, `NAME_SERVICE_PORT` and the older `NAME_PORT_...` of every Service of the namespace with an address. */
export function serviceVariables(services: Service[]): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const service of services) {
    const address = service.spec.clusterIP;
    const ports = service.spec.ports ?? [];
    const [first] = ports;
    if (!address || isHeadless(service) || !first) continue;
    const name = variableName(service.metadata.name);
    variables[`${name}_SERVICE_HOST`] = address;
    variables[`${name}_SERVICE_PORT`] = String(first.port);
    variables[`${name}_PORT`] = `${protocolOf(first)}://${address}:${first.port}`;
    for (const port of ports) {
      if (port.name) variables[`${name}_SERVICE_PORT_${variableName(port.name)}`] = String(port.port);
      const prefix = `${name}_PORT_${port.port}_${protocolOf(port).toUpperCase()}`;
      variables[prefix] = `${protocolOf(port)}://${address}:${port.port}`;
      variables[`${prefix}_PROTO`] = protocolOf(port);
      variables[`${prefix}_PORT`] = String(port.port);
      variables[`${prefix}_ADDR`] = address;
    }
  }
  return variables;
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

function protocolOf(port: { protocol?: string }): string {
  return (port.protocol ?? 'TCP').toLowerCase();
}
