import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../schema/kinds/pod.ts';
import type { Service } from '../../../schema/kinds/service.ts';
import { desiredSlices, LISTEN_PORTS_ANNOTATION } from './desired-slices.ts';

function pod(
  name: string,
  change: Partial<{ ready: boolean; port: number; going: boolean; annotation: string }> = {},
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      ...(change.going ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      ...(change.annotation ? { annotations: { [LISTEN_PORTS_ANNOTATION]: change.annotation } } : {}),
    },
    spec: {
      nodeName: 'node',
      containers: [{ name: 'a', image: 'a', ports: [{ name: 'http', containerPort: change.port ?? 8080 }] }],
    },
    status: {
      phase: 'Running',
      podIP: `127.64.0.${name.length}`,
      conditions: [{ type: 'Ready', status: change.ready === false ? 'False' : 'True' }],
    },
  };
}

function service(spec: Partial<Service['spec']> = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop', uid: 'web' },
    spec: { ports: [{ name: 'web', port: 80, targetPort: 'http' }], ...spec },
  };
}

describe('endpoint slices', () => {
  it('say which pods are ready, which serve while they go, and which do neither', () => {
    const pods = [pod('a'), pod('bb', { ready: false }), pod('ccc', { going: true })];
    const [slice] = desiredSlices(service(), pods);
    expect(slice?.ports).toEqual([{ name: 'web', port: 8080, protocol: 'TCP' }]);
    expect(slice?.endpoints.map(({ conditions }) => conditions)).toEqual([
      { ready: true, serving: true, terminating: false },
      { ready: false, serving: false, terminating: false },
      { ready: false, serving: true, terminating: true },
    ]);
  });

  it('are one for each number that a named port has', () => {
    const slices = desiredSlices(service(), [pod('a'), pod('bb', { port: 9090 })]);
    expect(slices.map(({ ports }) => ports?.[0]?.port)).toEqual([8080, 9090]);
    expect(new Set(slices.map(({ metadata }) => metadata.name)).size).toBe(2);
  });

  it('list pods that are not ready when the Service asks for them', () => {
    const [slice] = desiredSlices(service({ publishNotReadyAddresses: true }), [pod('a', { ready: false })]);
    expect(slice?.endpoints[0]?.conditions.ready).toBe(true);
  });

  it('carry the port that really listens where the node had to move it', () => {
    const [slice] = desiredSlices(service(), [pod('a', { annotation: '{"8080":49321}' })]);
    expect(slice?.ports?.[0]?.port).toBe(49_321);
    const [other] = desiredSlices(service(), [pod('a', { annotation: 'nonsense' })]);
    expect(other?.ports?.[0]?.port).toBe(8080);
  });

  it('are one empty slice when there is no pod', () => {
    expect(desiredSlices(service(), []).map(({ endpoints }) => endpoints)).toEqual([[]]);
  });
});
