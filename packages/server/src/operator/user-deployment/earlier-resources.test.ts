import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import { owner } from '../testing/fixtures.ts';
import { desiredChildren } from './desired/desired-children.ts';
import { specHashOf } from './last-good.ts';
import { readSpec } from './valid-spec.ts';
import { templateHashOf } from './versions.ts';

/**
 * Resources as earlier versions of the schema had them, with what the operator of that time made of them. A newer operator must come to
 * the same: another hash of the spec would begin an update of every deployment there is, another hash of a template would replace
 * every pod.
 */
const EARLIER: { file: string; specHash: string; templates: Record<string, string>; children: string[] }[] = [
  {
    file: 'first',
    specHash: '0cf419167c058a18ffb0b9bed25cb3a5',
    templates: { web: '058f94e73e7132c6', db: 'd89451877eddc6af' },
    children: [
      // New since, and no pod hangs on it.
      'NetworkPolicy shop-web--ea6c29266f',
      'NetworkPolicy shop',
      'PersistentVolumeClaim shop-db-data',
      'ConfigMap shop-web--cd74545535',
      'ExternalSecret shop-web',
      'ExternalSecret shop-db',
      'Service shop-web',
      'Service shop-db',
      'Deployment shop-web',
      'Deployment shop-db',
      'Ingress shop',
    ],
  },
  {
    file: 'day-two',
    specHash: 'c32d7d641860e4c9ef5d3de70d942b4f',
    templates: { web: '617ca9c20f772dbe' },
    children: [
      // New since, and no pod hangs on it.
      'NetworkPolicy shop-web--ea6c29266f',
      'NetworkPolicy shop',
      'ExternalSecret shop-migrate',
      'Service shop-web',
      // A run of another name would be done a second time.
      'Job shop-migrate--1dbcefe58e',
      'CronJob shop-report',
      'Deployment shop-web',
      'Ingress shop',
    ],
  },
];

function read(file: string): UserDeployment {
  return parse(readFileSync(new URL(`../testing/earlier/${file}.yaml`, import.meta.url), 'utf8')) as UserDeployment;
}

function childrenOf(resource: UserDeployment, templates: Record<string, string> = {}) {
  const { spec, problems } = readSpec(resource);
  expect(problems).toEqual([]);
  return desiredChildren({
    owner: owner(),
    spec: spec!,
    specHash: specHashOf(spec!),
    secretVersion: spec!.secretVersion,
    grantedHosts: resource.status?.grantedHosts ?? [],
    claimSizes: new Map(),
    templateHashes: new Map(Object.entries(templates)),
    options: {},
  });
}

describe.each(EARLIER)('a resource of the schema of $file', ({ file, specHash, templates, children }) => {
  it('is the same version as it was', () => {
    const { spec } = readSpec(read(file));
    expect(specHashOf(spec!)).toBe(specHash);
  });

  it('wants the same objects', () => {
    const names = childrenOf(read(file)).map(({ type, object }) => `${type.kind} ${object.metadata.name}`);
    expect(names).toEqual(children);
  });

  it('keeps its pods', () => {
    const deployments = childrenOf(read(file), templates).filter(({ type }) => type.kind === 'Deployment');
    const hashes = deployments.map(({ service, object }) => [service, templateHashOf(object)]);
    expect(Object.fromEntries(hashes)).toEqual(templates);
  });
});

describe('a resource of a schema to come', () => {
  it('is built as far as it is understood', () => {
    const { spec, problems } = readSpec(read('newer'));
    expect(problems).toEqual([]);
    expect(spec?.services).toEqual([
      {
        name: 'web',
        image: 'berth.dev/whoami:1',
        ports: [{ name: 'http', port: 8080 }],
        env: [{ name: 'PORT', value: '8080' }],
        probes: { readiness: { http: { path: '/', port: 'http' } } },
        resources: { requests: { cpu: '50m' } },
      },
    ]);
    expect(childrenOf(read('newer')).map(({ type }) => type.kind)).toContain('Deployment');
  });

  it('is refused where something is wrong with what is understood', () => {
    const resource = read('newer');
    const [web] = resource.spec.services;
    const wrong = { ...resource, spec: { ...resource.spec, services: [{ ...web!, replicas: 101 }] } };
    expect(readSpec(wrong).problems.map(({ path }) => path)).toEqual(['spec.services[0].replicas']);
  });
});
