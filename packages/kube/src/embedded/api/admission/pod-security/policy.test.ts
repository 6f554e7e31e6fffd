import { describe, expect, it } from 'vitest';
import type { CheckedPod } from './pod-fields.ts';
import { type PolicyLevel, readPolicy, violationsOf, violationsText } from './policy.ts';

const PREFIX = 'pod-security.kubernetes.io';
const level = (text: string): PolicyLevel => {
  const [name, version] = text.split(':');
  return { level: name as PolicyLevel['level'], version: version ?? 'latest' };
};
const decent = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const pod = (spec: object = {}, context: object = {}): CheckedPod => ({
  spec: {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [{ name: 'a', image: 'x', securityContext: { ...decent, ...context } }],
    ...spec,
  },
});

/** Most texts are compared with those of a real server in answers.test.ts; here is what that scenario leaves out. */
describe('the levels of pod security', () => {
  it.each<[string, string, CheckedPod, string]>([
    ['a pod that fits', 'restricted', pod(), ''],
    ['anything', 'privileged', pod({ hostNetwork: true, hostPID: true }), ''],
    ['a network of the host', 'baseline', pod({ hostNetwork: true }), 'host namespaces (hostNetwork=true)'],
    [
      'a mount of all of /proc',
      'baseline',
      pod({}, { procMount: 'Unmasked' }),
      'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    ],
    ['the default mount of /proc', 'baseline', pod({}, { procMount: 'Default' }), ''],
    [
      'an annotation for AppArmor',
      'baseline',
      { ...pod(), metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/a': 'unconfined' } } },
      'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/a="unconfined"")',
    ],
    [
      'a harmless annotation for AppArmor',
      'baseline',
      {
        ...pod(),
        metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/a': 'runtime/default' } },
      },
      '',
    ],
    [
      'a host process in containers',
      'baseline',
      pod({}, { windowsOptions: { hostProcess: true } }),
      'hostProcess (container "a" must not set securityContext.windowsOptions.hostProcess=true)',
    ],
    [
      'two volumes of one forbidden type',
      'restricted',
      pod({
        volumes: [
          { name: 'v', nfs: {} },
          { name: 'w', nfs: {} },
        ],
      }),
      'restricted volume types (volumes "v", "w" use restricted volume type "nfs")',
    ],
    [
      'a volume of an unknown type',
      'restricted',
      pod({ volumes: [{ name: 'v', futuristic: {} }] }),
      'restricted volume types (volume "v" uses restricted volume type "unknown")',
    ],
    [
      'an SELinux type before it was allowed',
      'baseline:v1.30',
      pod({}, { seLinuxOptions: { type: 'container_engine_t' } }),
      'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
    ],
    [
      'an SELinux type since it is allowed',
      'baseline:v1.31',
      pod({}, { seLinuxOptions: { type: 'container_engine_t' } }),
      '',
    ],
    [
      'an ephemeral container',
      'restricted',
      pod({ ephemeralContainers: [{ name: 'e', securityContext: { privileged: true } }] }),
      'privileged (container "e" must not set securityContext.privileged=true), allowPrivilegeEscalation != false (container "e" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "e" must set securityContext.capabilities.drop=["ALL"])',
    ],
    [
      'a version to come',
      'restricted:v1.99',
      pod({}, { capabilities: { drop: ['ALL'], add: ['CHOWN'] } }),
      'unrestricted capabilities (container "a" must not include "CHOWN" in securityContext.capabilities.add)',
    ],
  ])('%s, at %s', (_name, text, checked, expected) => {
    expect(violationsText(violationsOf(checked, level(text)))).toBe(expected);
  });
});

describe('the labels of a namespace', () => {
  const read = (labels: Record<string, string>) =>
    readPolicy(Object.fromEntries(Object.entries(labels).map(([key, value]) => [`${PREFIX}/${key}`, value])));

  it.each<[Record<string, string>, string]>([
    [{}, 'privileged:latest privileged:latest privileged:latest'],
    [{ enforce: 'restricted' }, 'restricted:latest restricted:latest privileged:latest'],
    [{ enforce: 'baseline', 'enforce-version': 'v1.30' }, 'baseline:v1.30 baseline:v1.30 privileged:latest'],
    [{ enforce: 'baseline', 'warn-version': 'v1.30' }, 'baseline:latest baseline:v1.30 privileged:latest'],
    [{ enforce: 'restricted', warn: 'privileged' }, 'restricted:latest privileged:latest privileged:latest'],
    [{ audit: 'restricted', 'audit-version': 'v1.0' }, 'privileged:latest privileged:latest restricted:v1.0'],
    // What cannot be read refuses, but floods nobody.
    [{ enforce: 'srict', warn: 'x', audit: 'y' }, 'restricted:latest privileged:latest privileged:latest'],
  ])('%j mean %s', (labels, expected) => {
    const { enforce, warn, audit } = read(labels).policy;
    expect([enforce, warn, audit].map(({ level, version }) => `${level}:${version}`).join(' ')).toBe(expected);
  });

  it('are refused by name when they cannot be read', () => {
    expect(
      read({ 'enforce-version': 'v1.034', warn: 'none' }).errors.map(({ field, detail }) => `${field}: ${detail}`),
    ).toEqual([
      `metadata.labels[${PREFIX}/enforce-version]: must be "latest" or "v1.x"`,
      `metadata.labels[${PREFIX}/warn]: must be one of privileged, baseline, restricted`,
    ]);
  });
});
