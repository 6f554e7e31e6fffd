import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Deployment } from '@berth/core/deployment';
import { PLANS } from '@berth/core/plans';
import { quantity } from '@berth/core/quantity';
import { renderTemplate } from '@berth/core/render';
import { readTemplate, type Template } from '@berth/core/template';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/berth.ts';
import { startGitServer } from '../support/git-server.ts';
import type { Platform } from '../support/platform.ts';
import { startPlatform } from '../support/target.ts';
import { appAt } from './app.ts';
import { JOBS } from './jobs.ts';
import type { World } from './template-job.ts';

/** Each template of the catalogue does its job, is restarted, does it again with what it had, and goes without a trace. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const templates = readdirSync(join(root, 'templates'))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => readTemplate(readFileSync(join(root, 'templates', file), 'utf8'), file));
const names = templates.map(({ metadata }) => metadata.name);

let platform: Platform;
let world: World;

beforeAll(async () => {
  platform = await startPlatform('templates');
  world = { git: await startGitServer(join(platform.folder, 'repositories'), { address: platform.machineAddress }) };
});

afterAll(async () => {
  await world?.git.close();
  await platform?.end();
});

describe('the catalogue', () => {
  it('has at least eight templates, and a job here for each and no other', () => {
    expect(names.length).toBeGreaterThanOrEqual(8);
    expect(Object.keys(JOBS).sort()).toEqual([...names].sort());
  });

  it.each(names)('describes %s for people', (name) => {
    const { spec } = templateOf(name);
    expect(spec.icon).toMatch(/^[a-z0-9-]+$/);
    expect(spec.readme).toMatch(/surviv|keeps nothing/i);
    expect(spec.startSeconds).toBeGreaterThan(0);
    for (const parameter of spec.parameters ?? [])
      expect([parameter.name, parameter.help]).toEqual([parameter.name, expect.any(String)]);
    for (const service of spec.services)
      expect([service.name, service.probes?.readiness]).toEqual([service.name, expect.anything()]);
  });

  it('holds nothing of which a free team could not run three', () => {
    const uses = templates.map(requestsOf);
    const largest = (of: (use: (typeof uses)[number]) => number) =>
      uses
        .map(of)
        .sort((a, b) => b - a)
        .slice(0, 3)
        .reduce((sum, each) => sum + each, 0);
    expect(largest(({ cpu }) => cpu)).toBeLessThanOrEqual(quantity(PLANS.free.cpu ?? '0'));
    expect(largest(({ memory }) => memory)).toBeLessThanOrEqual(quantity(PLANS.free.memory ?? '0'));
    expect(largest(({ storage }) => storage)).toBeLessThanOrEqual(quantity(PLANS.free.storage ?? '0'));
  });
});

describe.concurrent('a deployment', () => {
  it.for(names)('of %s does its job, before and after a restart', async (template, { expect }) => {
    const { api } = platform;
    const job = JOBS[template];
    if (!job) throw new Error(`test/templates/jobs has no job for ${template}`);
    const values = job.values?.(world) ?? {};
    const name = `try-${template}`;
    const created = await api.send<Deployment>('POST', '/api/deployments', { name, template, values });
    const { url = '' } = await api.running(created.id, 90_000);
    const app = appAt(url, expect);
    // What runs is reached a moment later, once whoever routes has heard of it.
    await app.askUntil('/', ({ status }) => status < 500 && status !== 404);
    await job.use(app, world);

    const before = await podsOf(name);
    expect(before.length).toBeGreaterThan(0);
    await api.send('POST', `/api/deployments/${created.id}/restart`);
    await until('every pod is another', 60_000, async () => {
      const now = await podsOf(name);
      return now.length > 0 && now.every((pod) => !before.includes(pod));
    });
    await api.running(created.id, 60_000);
    await app.askUntil('/', ({ status }) => status < 500 && status !== 404);
    await job.useAgain(app, world);

    await api.send('DELETE', `/api/deployments/${created.id}`);
    await api.gone(created.id);
    await app.askUntil('/', ({ status }) => status === 404);
  });
});

describe('afterwards', () => {
  it('nothing of any of them is left', async () => {
    await until('what was deleted has ended', 30_000, async () => (await platform.left()).length === 0).catch(
      () => undefined,
    );
    expect(await platform.left()).toEqual([]);
  });
});

function templateOf(name: string): Template {
  const found = templates.find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`no template ${name}`);
  return found;
}

/** Pods of services: a job's are not replaced. */
async function podsOf(deployment: string): Promise<string[]> {
  return (await platform.pods())
    .filter(({ metadata: { labels = {} } }) => {
      return labels['berth.dev/deployment'] === deployment && 'pod-template-hash' in labels;
    })
    .map(({ metadata }) => metadata.uid ?? '');
}

function requestsOf(template: Template): { cpu: number; memory: number; storage: number } {
  const name = template.metadata.name;
  const values = JOBS[name]?.values?.(world) ?? {};
  const { services } = renderTemplate({ template, name, values, host: `${name}.localhost`, url: 'http://localhost' });
  const sum = (of: (service: (typeof services)[number]) => number) =>
    services.reduce((total, service) => total + of(service) * (service.replicas ?? 1), 0);
  return {
    cpu: sum(({ resources }) => quantity(resources?.requests?.cpu ?? '0')),
    memory: sum(({ resources }) => quantity(resources?.requests?.memory ?? '0')),
    storage: sum(({ volumes }) => (volumes ?? []).reduce((total, { size }) => total + quantity(size), 0)),
  };
}
