import { describe, expect, it } from 'vitest';
import { deliverySecret, namespaceObjects } from './namespace.ts';

const team = { teamId: 't234567890123456', namespace: 'berth-t234567890123456', plan: 'free' } as const;
const delivery = { url: 'https://berth.internal:8443', authority: 'PEM' };
const objectOf = (kind: string, plan: 'free' | 'enterprise' = 'free') => {
  const found = namespaceObjects({ ...team, plan }, delivery).find(({ object }) => object.kind === kind);
  if (!found) throw new Error(`there is no ${kind}`);
  return found.object;
};

describe('the namespace of a team', () => {
  it('is there before what lives in it', () => {
    expect(namespaceObjects(team, delivery)[0]?.object.kind).toBe('Namespace');
  });

  it('has the restricted level of Pod Security, whatever the plan', () => {
    for (const plan of ['free', 'enterprise'] as const) {
      expect(objectOf('Namespace', plan).metadata.labels).toMatchObject({
        'pod-security.kubernetes.io/enforce': 'restricted',
        'berth.dev/team': team.teamId,
      });
    }
  });

  it('has the quota of its plan, and none without limits', () => {
    expect(objectOf('ResourceQuota').spec).toEqual({
      hard: { 'requests.cpu': '2', 'requests.memory': '2Gi', 'requests.storage': '5Gi' },
    });
    expect(objectOf('ResourceQuota', 'enterprise').spec).toEqual({ hard: {} });
    expect(objectOf('LimitRange').spec).toMatchObject({ limits: [{ defaultRequest: { cpu: expect.any(String) } }] });
  });

  it('lets nothing in and nothing out but questions for names', () => {
    expect(objectOf('NetworkPolicy').spec).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      egress: [
        {
          ports: [
            { protocol: 'UDP', port: 53 },
            { protocol: 'TCP', port: 53 },
          ],
        },
      ],
    });
  });

  it('has a store that External Secrets reads with the credential and trusts by the platform’s authority', () => {
    expect(objectOf('SecretStore').spec).toEqual({
      provider: {
        webhook: {
          url: 'https://berth.internal:8443/internal/secrets/{{ .remoteRef.key }}',
          headers: { Authorization: 'Bearer {{ .delivery.token }}' },
          result: { jsonPath: '$.value' },
          caBundle: Buffer.from('PEM').toString('base64'),
          secrets: [{ name: 'delivery', secretRef: { name: 'berth-delivery' } }],
        },
      },
    });
    expect(deliverySecret(team, 'credential')).toMatchObject({
      metadata: { name: 'berth-delivery', labels: { 'external-secrets.io/type': 'webhook' } },
      data: { token: Buffer.from('credential').toString('base64') },
    });
  });
});
