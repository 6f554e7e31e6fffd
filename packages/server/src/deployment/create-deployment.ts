import type { CreateDeployment, DeploymentPreview } from '@berth/core/deployment';
import { BerthError, invalidInput, isBerthError } from '@berth/core/errors';
import type { Template } from '@berth/core/template';
import type { Queryable, Transaction } from '../db/database.ts';
import { findTemplate } from '../template/find-template.ts';
import { type Addresses, checkAddresses, refuseTakenHosts, takeHosts } from './addresses.ts';
import type { Author, DeploymentDeps } from './deployment-deps.ts';
import { findByName, namesLike } from './deployment-repository.ts';
import type { DeploymentRow } from './deployment-row.ts';
import { type Draft, downtimeWarnings, draftDeployment, refuseOversizedResource, usesOf, warningsOf } from './draft.ts';
import { refuseOverPlan } from './plan-resources.ts';
import { lockSlots, readSlots, refuseWhenFull } from './plan-slots.ts';
import { saveChange } from './save-change.ts';
import { storeSecrets } from './store-secrets.ts';
import { freeSuggestion } from './suggestion.ts';
import { toResource } from './to-resource.ts';

export interface Place {
  teamId: string;
  organizationId: string;
}

/**
 * One transaction does all of it or nothing: the slot, the name, the host, the secrets, the row with its first revision
 * and the outbox entry. Returns the new row's id.
 */
export async function createDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  { place, body, author }: { place: Place; body: CreateDeployment; author: Author },
): Promise<string> {
  const { clock } = deps;
  refuseWhenFull(await lockSlots(transaction, place.organizationId));
  await refuseTakenName(transaction, place.teamId, body.name);
  const { draft, addresses, template } = await resolve(deps, transaction, { place, body });
  const now = clock();
  const secretVersion = draft.secrets.size > 0 ? { secretVersion: '1' } : {};
  const row: DeploymentRow = {
    id: deps.newId(),
    ...place,
    name: body.name,
    ...(body.displayName ? { displayName: body.displayName } : {}),
    templateName: template.metadata.name,
    templateVersion: template.spec.version,
    parameterValues: draft.values,
    spec: { ...draft.spec, ...secretVersion },
    desired: 'running',
    revision: 1,
    ...(addresses.host !== undefined && { host: addresses.host }),
    aliases: addresses.aliases,
    replicas: {},
    paused: false,
    phase: 'Pending',
    createdBy: author.email,
    createdAt: now,
    updatedAt: now,
  };
  refuseOversizedResource(toResource(row, 'unknown'));
  const message = `${body.name} was created from ${template.spec.displayName} ${template.spec.version}`;
  await saveChange(transaction, row, {
    isNew: true,
    clock,
    story: {
      summary: `created from ${template.metadata.name} ${template.spec.version}`,
      by: author.email,
      changedSecrets: draft.secrets.keys(),
      activity: { kind: 'created', level: 'info', message },
    },
    beforeTelling: async () => {
      await takeHosts(deps, transaction, { deploymentId: row.id, addresses, spec: row.spec });
      await storeSecrets(deps.secrets, transaction, {
        owner: { teamId: row.teamId, path: row.id },
        values: draft.secrets,
      });
    },
  });
  return row.id;
}

/** The same checks, without effects and without a lock. */
export async function previewDeployment(
  deps: DeploymentDeps,
  queryable: Queryable,
  { place, body }: { place: Place; body: CreateDeployment },
): Promise<DeploymentPreview> {
  const slots = await readSlots(queryable, place.organizationId);
  await refuseTakenName(queryable, place.teamId, body.name);
  const { draft, addresses } = await resolve(deps, queryable, { place, body });
  const { host, aliases } = addresses;
  await refuseTakenHosts(deps, queryable, { deploymentId: undefined, addresses, spec: draft.spec });
  return {
    ...(host !== undefined && { host, url: deps.urlOf(host) }),
    services: draft.spec.services.map(({ name, image, replicas, volumes }) => ({
      name,
      image,
      replicas: replicas ?? 1,
      volumes: (volumes ?? []).map((volume) => ({ name: volume.name, size: volume.size })),
    })),
    jobs: (draft.spec.jobs ?? []).map(({ name, image, schedule }) => ({
      name,
      image,
      ...(schedule !== undefined && { schedule }),
    })),
    uses: usesOf(draft.spec),
    warnings: [
      ...warningsOf(draft.spec, { hosts: host === undefined ? [] : [host, ...aliases], domain: deps.hosts.domain }),
      ...downtimeWarnings(draft.spec),
    ],
    plan: {
      deployments: { used: slots.used, ...(slots.allowed !== undefined && { allowed: slots.allowed }) },
    },
  };
}

async function resolve(
  deps: DeploymentDeps,
  queryable: Queryable,
  { place, body }: { place: Place; body: CreateDeployment },
): Promise<{ draft: Draft; addresses: Addresses; template: Template }> {
  const template = await requireTemplate(queryable, place.teamId, { name: body.template, version: body.version });
  const asked = { host: body.host || (template.spec.exposure && body.name), aliases: body.aliases ?? [] };
  const addresses = checkAddresses(deps.hosts, template, asked);
  const { host, aliases } = addresses;
  const draft = draftDeployment({
    template,
    name: body.name,
    displayName: body.displayName || undefined,
    host,
    url: host === undefined ? undefined : deps.urlOf(host),
    aliases,
    values: body.values ?? {},
    stored: new Map(),
    generateSecret: deps.generateSecret,
  });
  await refuseOverPlan(queryable, place, { after: usesOf(draft.spec) });
  return { draft, addresses, template };
}

/** In a form, a template that is not there is a wrong field. */
export async function requireTemplate(
  queryable: Queryable,
  teamId: string,
  { name, version }: { name: string; version?: string | undefined },
): Promise<Template> {
  try {
    return await findTemplate(queryable, { name, version, teamId });
  } catch (error) {
    if (!isBerthError(error, 'not_found')) throw error;
    throw invalidInput('The deployment', [
      { path: version === undefined ? 'template' : 'version', message: error.message },
    ]);
  }
}

export async function refuseTakenName(queryable: Queryable, teamId: string, name: string): Promise<void> {
  const present = await findByName(queryable, teamId, name);
  if (!present) return;
  const names = await namesLike(queryable, teamId, name.replace(/-\d+$/, ''));
  const suggestion = freeSuggestion(name, new Set(names));
  const going = present.desired === 'deleted' ? ' by a deployment that is being deleted' : '';
  const hint = suggestion ? ` ${suggestion} is free.` : '';
  throw new BerthError('name_taken', `The name ${name} is taken in this team${going}.${hint}`, {
    fields: [{ path: 'name', message: 'is taken' }],
    ...(suggestion && { suggestion }),
  });
}
