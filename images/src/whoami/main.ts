import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { joinClusterNetwork } from '../runtime/cluster-network.ts';
import { serve } from '../runtime/serve.ts';
import { type Environment, parsePort, runtimeSettings } from '../runtime/settings.ts';
import { createWhoami } from './whoami.ts';

const environment: Environment = process.env;
const settings = runtimeSettings(environment);
joinClusterNetwork(settings);

const server = createWhoami({
  greeting: environment.GREETING || 'Hello from your pod',
  hostname: environment.HOSTNAME || hostname(),
  podName: environment.POD_NAME || environment.HOSTNAME,
  namespace: environment.POD_NAMESPACE || environment.CLUSTER_NAMESPACE,
  environment: environment.SHOW_ENV === 'true' ? environmentBytes : undefined,
});
serve(server, { name: 'whoami', port: parsePort('PORT', environment.PORT, 8080), settings });

/** The kernel's own copy, since Node replaces what is not UTF-8. */
function environmentBytes(): Buffer {
  if (process.platform === 'linux') return readFileSync('/proc/self/environ');
  return Buffer.from(
    Object.entries(environment)
      .map(([name, value]) => `${name}=${value ?? ''}\0`)
      .join(''),
  );
}
