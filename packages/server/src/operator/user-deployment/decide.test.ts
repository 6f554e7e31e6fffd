import { CONDITIONS } from '@berth/core/user-deployment';
import type { KubeObject } from '@berth/kube/schema/object';
import { DEPLOYMENT, PERSISTENT_VOLUME_CLAIM, SERVICE } from '@berth/kube/schema/resources';
import { describe, expect, it } from 'vitest';
import {
  admittedStatus,
  guestbookSpec,
  keysOf,
  NAMESPACE,
  service,
  situation,
  spec,
  standing,
  userDeployment,
} from '../testing/fixtures.ts';
import { decide } from './decide.ts';
import type { Situation } from './situation.ts';

const all = (resource = userDeployment()) => situation({ userDeployment: resource }).children;
const reasons = (given: Situation) => [...decide(given).objections.values()].flat().map(({ reason }) => reason);
const messages = (given: Situation) => [...decide(given).objections.values()].flat().map(({ message }) => message);
const guestbook = () => userDeployment({ spec: guestbookSpec() });

const secret = (version: string | undefined, keys = ['password']) =>
  new Map([
    [
      'shop-database',
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'shop-database',
          namespace: NAMESPACE,
          ...(version !== undefined && { annotations: { 'berth.dev/secret-version': version } }),
        },
        hashes: Object.fromEntries(keys.map((key) => [key, 'hash'])),
      },
    ],
  ]);

const ready = (object: KubeObject): KubeObject =>
  object.kind === 'Deployment' ? { ...object, status: { readyReplicas: 1 } } : object;

describe('what is applied', () => {
  it('is everything, when nothing stands and nothing objects', () => {
    const given = situation({ userDeployment: userDeployment() });
    expect(keysOf(decide(given).apply)).toEqual(['NetworkPolicy/shop', 'Service/shop-web', 'Deployment/shop-web']);
    expect(reasons(given)).toEqual([]);
  });

  it('is nothing, when everything stands as it is wanted', () => {
    const given = situation({ userDeployment: userDeployment(), present: standing(all()) });
    expect(decide(given)).toMatchObject({ apply: [], prune: [] });
  });

  it('is just the child that somebody changed by hand', () => {
    const present = standing(all(), (object) =>
      object.kind === 'Service' ? { ...object, spec: { ...(object.spec as object), ports: [] } } : object,
    );
    expect(keysOf(decide(situation({ userDeployment: userDeployment(), present })).apply)).toEqual([
      'Service/shop-web',
    ]);
  });

  it('is the Deployment, when a field is no longer wanted that only the hash remembers', () => {
    const before = all(userDeployment({ spec: spec({ services: [service({ args: ['-v'] })] }) }));
    const given = situation({ userDeployment: userDeployment(), present: standing(before) });
    expect(keysOf(decide(given).apply)).toEqual(['Deployment/shop-web']);
  });

  it('leaves out the Deployment of what is stopped from the start, and stops one that runs', () => {
    const stopped = userDeployment({ spec: spec({ desired: 'stopped' }) });
    expect(keysOf(decide(situation({ userDeployment: stopped })).apply)).not.toContain('Deployment/shop-web');
    const given = situation({ userDeployment: stopped, present: standing(all()) });
    expect(keysOf(decide(given).apply)).toEqual(['Deployment/shop-web']);
  });
});

describe('what holds everything', () => {
  it('is a spec that breaks a rule, named with its field', () => {
    const wrong = userDeployment({ spec: spec({ exposure: [{ host: 'a.localhost', service: 'web', port: 'nope' }] }) });
    const given = situation({ userDeployment: wrong });
    expect(decide(given).apply).toEqual([]);
    expect(messages(given)).toEqual(['spec.exposure[0].port: service "web" has no port named "nope"']);
  });

  it('is a name that no label can carry', () => {
    const given = situation({ userDeployment: userDeployment({ name: 'a--b.c' }) });
    expect(decide(given).apply).toEqual([]);
    expect(messages(given)[0]).toContain('metadata.name');
  });

  it('is a set of files that no ConfigMap can hold', () => {
    const files = ['a', 'b', 'c'].map((name) => ({ path: `/${name}`, content: 'x'.repeat(400_000) }));
    const given = situation({ userDeployment: userDeployment({ spec: spec({ services: [service({ files })] }) }) });
    expect(messages(given)[0]).toMatch(/^spec.services\[0\].files: the files are 1200000 bytes/);
  });

  it('is the platform that has not said yes', () => {
    const waiting = situation({ userDeployment: userDeployment({ status: {} }) });
    expect(decide(waiting).apply).toEqual([]);
    expect(reasons(waiting)).toEqual(['NotAdmittedYet']);
    expect(messages(waiting)).toEqual(['is checked against the plan']);
    const old = userDeployment({ status: {} });
    old.metadata.creationTimestamp = new Date(waiting.now - 60_000).toISOString();
    expect(messages(situation({ userDeployment: old }))[0]).toContain('in the namespaces of its teams only');
  });

  it('is the platform that says no, in its words', () => {
    const status = admittedStatus();
    status.conditions = [{ ...status.conditions![0]!, status: 'False', reason: 'LimitReached', message: '3 of 3' }];
    const refused = situation({ userDeployment: userDeployment({ status }) });
    expect(reasons(refused)).toEqual(['LimitReached']);
    expect(messages(refused)).toEqual(['3 of 3']);
  });
});

describe('names that others hold', () => {
  const taken = (change: (object: KubeObject) => KubeObject, kind = 'Service') =>
    standing(
      all().filter(({ type }) => type.kind === kind),
      change,
    );
  const owned =
    (uid: string, name = 'shop') =>
    (object: KubeObject) => ({
      ...object,
      metadata: {
        ...object.metadata,
        ownerReferences: [{ ...object.metadata.ownerReferences![0]!, uid, name }],
      },
    });

  it('are never taken over: the whole service waits, and is told why', () => {
    const present = taken((object) => ({ ...object, metadata: { ...object.metadata, ownerReferences: [] } }));
    const given = situation({ userDeployment: userDeployment(), present });
    expect(keysOf(decide(given).apply)).toEqual(['NetworkPolicy/shop']);
    expect(messages(given)).toEqual([
      'Service shop-web exists and is not of this deployment; delete or rename it, or give the service another name',
    ]);
    expect(decide(given).retryAfterMs).toBe(30_000);
  });

  it('case 14: of an earlier deployment of the same name are waited for', () => {
    const given = situation({ userDeployment: userDeployment(), present: taken(owned('uid-0')) });
    expect(reasons(given)).toEqual(['EarlierObjectGoing']);
    expect(decide(given).retryAfterMs).toBe(2_000);
  });

  it('of another deployment are foreign', () => {
    const given = situation({ userDeployment: userDeployment(), present: taken(owned('uid-9', 'other')) });
    expect(reasons(given)).toEqual(['NameTaken']);
  });

  it('of a NetworkPolicy hold everything: nothing runs without isolation', () => {
    const given = situation({ userDeployment: userDeployment(), present: taken(owned('x', 'y'), 'NetworkPolicy') });
    expect(decide(given).apply).toEqual([]);
  });
});

describe('secrets', () => {
  it('hold the pods of the service that uses them, by the keys that are missing', () => {
    const given = situation({ userDeployment: guestbook() });
    expect(keysOf(decide(given).apply)).not.toContain('Deployment/shop-database');
    expect(messages(given)).toContain('database waits for secret password');
  });

  it('hold it too when the Secret still carries the old version', () => {
    const given = situation({ userDeployment: guestbook(), secrets: secret('v0') });
    expect(keysOf(decide(given).apply)).not.toContain('Deployment/shop-database');
    expect(messages(given)).toContain('database waits for the new value of secret password');
  });

  it('hold nothing once delivered', () => {
    const given = situation({ userDeployment: guestbook(), secrets: secret('v1') });
    expect(keysOf(decide(given).apply)).toContain('Deployment/shop-database');
  });

  it('that fail to be delivered say why', () => {
    const deliveryProblems = new Map([['shop-database', 'there is no secret "shop/password" in the store']]);
    const given = situation({ userDeployment: guestbook(), deliveryProblems });
    expect(messages(given)[0]).toBe(
      'database waits for secret password: there is no secret "shop/password" in the store',
    );
  });

  it('never keep a service from being stopped', () => {
    const stopped = userDeployment({ spec: { ...guestbookSpec(), desired: 'stopped' } });
    const given = situation({ userDeployment: stopped, present: standing(all(guestbook())) });
    expect(keysOf(decide(given).apply)).toEqual(['Deployment/shop-web', 'Deployment/shop-database']);
  });
});

describe('the order of services', () => {
  const databaseOnly = (change?: (object: KubeObject) => KubeObject) =>
    standing(
      all(guestbook()).filter(({ service: of, type }) => of === 'database' || type !== DEPLOYMENT),
      change,
    );

  it('lets a service start when what it depends on serves', () => {
    const given = { userDeployment: guestbook(), secrets: secret('v1') };
    expect(messages(situation({ ...given, present: databaseOnly() }))).toEqual(['web starts when database is ready']);
    const ok = situation({ ...given, present: databaseOnly(ready) });
    expect(keysOf(decide(ok).apply)).toEqual(['Deployment/shop-web']);
  });

  it('never holds a service that runs', () => {
    const present = standing(all(guestbook()));
    expect(reasons(situation({ userDeployment: guestbook(), secrets: secret('v1'), present }))).toEqual([]);
  });

  it('holds again what starts after a stop', () => {
    const present = standing(all(userDeployment({ spec: { ...guestbookSpec(), desired: 'stopped' } })));
    const given = situation({ userDeployment: guestbook(), secrets: secret('v1'), present });
    expect(keysOf(decide(given).apply)).toEqual(['Deployment/shop-database']);
  });
});

describe('what is pruned', () => {
  const gone = (type: typeof SERVICE, name: string) => ({
    type,
    object: { apiVersion: 'v1', kind: type.kind, metadata: { name, namespace: NAMESPACE } },
  });

  it('is what is ours and no longer wanted, save volumes: an edit never costs data', () => {
    const owned = [
      gone(SERVICE, 'shop-old'),
      gone(PERSISTENT_VOLUME_CLAIM, 'shop-old-data'),
      gone(SERVICE, 'shop-web'),
    ];
    const decision = decide(situation({ userDeployment: userDeployment(), owned }));
    expect(decision.prune.map(({ object }) => object.metadata.name)).toEqual(['shop-old']);
    expect(decision.keptClaims).toEqual(['shop-old-data']);
  });

  it('is nothing while the spec cannot be read', () => {
    const wrong = userDeployment({ spec: spec({ services: [] }) });
    expect(decide(situation({ userDeployment: wrong, owned: [gone(SERVICE, 'shop-web')] })).prune).toEqual([]);
  });
});

it('says which hosts are not routed and why', () => {
  const status = admittedStatus([]);
  status.conditions![1] = {
    ...status.conditions![1]!,
    type: CONDITIONS.hostsClaimed,
    status: 'False',
    message: 'another team has it',
  };
  const given = situation({ userDeployment: userDeployment({ spec: guestbookSpec(), status }), secrets: secret('v1') });
  expect(messages(given)[0]).toBe('shop.localhost is not routed: another team has it');
});
