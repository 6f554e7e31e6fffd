import { describe, expect, it } from 'vitest';
import { imageWords, startWords } from './container.ts';
import { refusalWords } from './refusal.ts';
import { schedulingWords } from './scheduling.ts';
import { claimWords } from './volume.ts';

/** What Kubernetes 1.34 with containerd says, letter for letter. */
describe('what the API server refuses', () => {
  const cases: [said: string, reason: string, words: string][] = [
    [
      'pods "web-6669f64466-t5w4p" is forbidden: exceeded quota: berth-plan, requested: requests.cpu=2, used: requests.cpu=0, limited: requests.cpu=1',
      'QuotaExceeded',
      "The team's plan is used up: 2 more CPU are needed, and 0 of 1 are taken. Stop or shrink something of this team, or take a larger plan.",
    ],
    [
      'persistentvolumeclaims "shop-db-data" is forbidden: exceeded quota: storage, requested: requests.storage=10Gi,persistentvolumeclaims=1, used: requests.storage=5Gi,persistentvolumeclaims=3, limited: requests.storage=10Gi,persistentvolumeclaims=3',
      'QuotaExceeded',
      'The quota "storage" of the namespace is used up: 10Gi more storage are needed, and 5Gi of 10Gi are taken; 1 more volumes is needed, and 3 of 3 are taken. Stop or shrink something of this team, or ask whoever set it.',
    ],
    [
      'pods "web-6669f64466-rq6fk" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "web" must set securityContext.allowPrivilegeEscalation=false)',
      'PodSecurityViolated',
      'The namespace allows only pods of the level "restricted", and this one is not: allowPrivilegeEscalation != false (container "web" must set securityContext.allowPrivilegeEscalation=false). Berth\'s own pods are; something in the cluster changes them when they are made, such as a program that adds containers. Ask whoever runs the cluster.',
    ],
    [
      'pods "web-55b5b7d4cd-ldznr" is forbidden: [maximum cpu usage per Container is 100m, but limit is 200m, maximum memory usage per Container is 64Mi, but limit is 128Mi]',
      'OverLimit',
      'The namespace sets limits: a container may have at most 100m of CPU, and it has 200m; a container may have at most 64Mi of memory, and it has 128Mi. Change the resources of the service.',
    ],
    [
      `pods "web-6669f64466-bztbg" is forbidden: ValidatingAdmissionPolicy 'no-acme' with binding 'no-acme' denied request: images of acme are not allowed here`,
      'PolicyDenied',
      'A rule of the cluster ("no-acme") does not allow it: images of acme are not allowed here. Change what it names, or ask whoever runs the cluster.',
    ],
    [
      'admission webhook "validate.kyverno.svc-fail" denied the request: resource Deployment/team/shop was blocked.',
      'PolicyDenied',
      'A rule of the cluster ("validate.kyverno.svc-fail") does not allow it: resource Deployment/team/shop was blocked. Change what it names, or ask whoever runs the cluster.',
    ],
    [
      'Internal error occurred: failed calling webhook "images.policy.example.com": failed to call webhook: Post "https://127.0.0.1:1/x?timeout=1s": dial tcp 127.0.0.1:1: connect: connection refused',
      'WebhookUnavailable',
      'The cluster asks "images.policy.example.com" about everything that is made, and it does not answer. Nothing has to be changed here: whoever runs the cluster has to bring it back, and then this goes on by itself.',
    ],
    [
      'pods "web-7795b685cd-" is forbidden: error looking up service account c-sa/nope: serviceaccount "nope" not found',
      'ServiceAccountMissing',
      'The namespace has no service account "nope" yet. Kubernetes makes it; if it stays away for long, ask whoever runs the cluster.',
    ],
    [
      'deployments.apps "shop-web" is forbidden: User "system:serviceaccount:berth:berth-operator" cannot patch resource "deployments" in API group "apps" in the namespace "team"',
      'NoRight',
      "Berth's operator has no right to patch deployments here. Whoever installed Berth has to grant it; the roles of its chart hold all that it needs.",
    ],
  ];
  it.each(cases)('%s', (said, reason, message) => {
    expect(refusalWords(said)).toEqual({ reason, message });
  });

  it('says nothing of what it does not know', () => {
    expect(refusalWords('pods "a" is forbidden: the moon is full')).toBeUndefined();
  });
});

describe('what the scheduler says', () => {
  const preemption =
    'no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
  const cases: [said: string, words: string][] = [
    [
      `0/1 nodes are available: 1 Insufficient cpu, 1 Too many pods. ${preemption}`,
      'No node can take the pod: 1 of 1 has not enough free CPU, 1 of 1 is full of pods. Ask for less, stop something else, or have a node added.',
    ],
    [
      '0/5 nodes are available: 1 node(s) were unschedulable, 2 Insufficient memory, 2 node(s) had untolerated taint {dedicated: gpu}. preemption: 0/5 nodes are available',
      'No node can take the pod: 1 of 5 is closed for new pods, 2 of 5 have not enough free memory, 2 of 5 are not ready or are kept for something else. Ask for less, stop something else, or have a node added.',
    ],
    [
      `0/1 nodes are available: 1 node(s) had untolerated taint(s). ${preemption}`,
      'No node can take the pod: 1 of 1 is not ready or is kept for something else. If it stays so, ask whoever runs the cluster: a taint on the nodes keeps apps away.',
    ],
    [
      `0/1 nodes are available: 1 node(s) were unschedulable. ${preemption}`,
      'No node can take the pod: 1 of 1 is closed for new pods. They are closed for maintenance; whoever runs the cluster opens them again.',
    ],
    [
      `0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. ${preemption}`,
      'No node can take the pod: 1 of 1 is not of the kind it asks for. Whoever runs the cluster can say which nodes are for apps.',
    ],
    [
      'no nodes available to schedule pods',
      'No node can take the pod: the cluster has none. Whoever runs the cluster has to add one.',
    ],
    [
      '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
      'The pod waits for its volume, which the cluster has not made yet.',
    ],
    [
      '0/1 nodes are available: persistentvolumeclaim "absent" not found. not found',
      'The pod waits for its volume: absent is not there.',
    ],
    ['the moon is full', 'No node can take the pod: the moon is full.'],
  ];
  it.each(cases)('%s', (said, message) => {
    expect(schedulingWords(said).message).toBe(message);
  });
});

describe('why a volume is not there', () => {
  it('names the class that the cluster lacks', () => {
    const warning = 'storageclass.storage.k8s.io "fast" not found';
    expect(claimWords({ className: 'fast', warning })).toBe(
      'The cluster has no storage class "fast". Whoever runs the cluster has to make it.',
    );
  });

  it('says that no class is the default', () => {
    expect(claimWords({ className: undefined, warning: undefined })).toContain(
      'none of its storage classes is the default',
    );
  });
});

describe('why an image cannot be had', () => {
  const cases: [said: string, words: string][] = [
    [
      'failed to pull and unpack image "docker.io/library/nope:1": failed to resolve reference "docker.io/library/nope:1": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
      'its registry does not have it, or gives it only to those who sign in. Check the name, or use an image that everybody may pull.',
    ],
    [
      'Back-off pulling image "registry.example.com/a:1": ErrImagePull: failed to pull and unpack image "registry.example.com/a:1": failed to resolve reference "registry.example.com/a:1": failed to do request: Head "https://registry.example.com/v2/a/manifests/1": dial tcp: lookup registry.example.com: no such host',
      'the node does not reach its registry (no address is known for registry.example.com). It is tried again by itself.',
    ],
    [
      'Back-off pulling image "registry.invalid/acme/web:1": ErrImagePull: failed to pull and unpack image "registry.invalid/acme/web:1": failed to resolve reference "registry.invalid/acme/web:1": failed to do request: Head "https://registry.invalid/v2/acme/web/manifests/1": dial tcp: lookup registry.invalid on 10.201.0.1:53: server misbehaving',
      'the node does not reach its registry (no address is known for registry.invalid). It is tried again by itself.',
    ],
    [
      'failed to pull and unpack image "127.0.0.1:5/acme/web:1": failed to resolve reference "127.0.0.1:5/acme/web:1": failed to do request: Head "http://127.0.0.1:5/v2/acme/web/manifests/1": dial tcp 127.0.0.1:5: connect: connection refused',
      'the node does not reach its registry (nobody answers there). It is tried again by itself.',
    ],
    [
      'Failed to apply default image tag "Acme/Web:1": couldn\'t parse image name "Acme/Web:1": invalid reference format: repository name (Web) must be lowercase',
      'that is no name of an image. Write it as registry/name:tag, in lower case.',
    ],
    [
      'Container image "acme/web:1" is not present with pull policy of Never',
      'the node does not have it and may not fetch it.',
    ],
    [
      'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/node:999": failed to resolve reference "docker.io/library/node:999": docker.io/library/node:999: not found',
      'there is none of this name and tag. Check both.',
    ],
  ];
  it.each(cases)('%s', (said, words) => {
    expect(imageWords(said)).toBe(words);
  });
});

describe('why a container cannot be started', () => {
  const cases: [said: string, words: string][] = [
    [
      'container has runAsNonRoot and image will run as root (pod: "web-1_team(2f3c)", container: web)',
      'Its image runs as root, which is not allowed here. Use an image that is made to run without root, or set a user with a number in its Dockerfile (USER 10001).',
    ],
    [
      'container has runAsNonRoot and image has non-numeric user (node), cannot verify user is non-root (pod: "web-1_team(2f3c)", container: web)',
      'Its image runs as the user "node", and nobody can tell that this is not root. Give the user by number in its Dockerfile (USER 10001).',
    ],
    [
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "nope": executable file not found in $PATH: unknown',
      'Its image has no program "nope". Check the command of the service.',
    ],
    [
      'container\'s runAsUser breaks non-root policy (pod: "web-1_team(74d4fef5)", container: web)',
      'Its image runs as root, which is not allowed here. Use an image that is made to run without root, or set a user with a number in its Dockerfile (USER 10001).',
    ],
    [
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/nope": stat /nope: no such file or directory: unknown',
      'Its image has no program "/nope". Check the command of the service.',
    ],
    [
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/image/main.mjs": permission denied: unknown',
      '"/image/main.mjs" of its image may not be run by a user who is not root. Make it executable for all.',
    ],
    ["couldn't find key a in Secret team/has", 'The value of "a" is not delivered yet. It is tried again by itself.'],
    ['secret "shop-web" not found', 'The Secret "shop-web" is not there yet. It is tried again by itself.'],
  ];
  it.each(cases)('%s', (said, words) => {
    expect(startWords(said)).toBe(words);
  });
});
