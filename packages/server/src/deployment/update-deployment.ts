import { isDeepStrictEqual } from 'node:util';
import type { UpdateDeployment } from '@berth/core/deployment';
import { BerthError, type FieldError, invalidInput } from '@berth/core/errors';
import { normaliseHost } from '@berth/core/host';
import type { ParameterValue } from '@berth/core/parameter';
import { quantity } from '@berth/core/quantity';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Transaction } from '../db/database.ts';
import {
  type Addresses,
  type AskedAddresses,
  checkAddresses,
  movedExposure,
  normaliseAliases,
  takeHosts,
} from './addresses.ts';
import { carryOver } from './carry-over.ts';
import { changeSummary } from './change-summary.ts';
import { requireTemplate } from './create-deployment.ts';
import type { Author, DeploymentDeps } from './deployment-deps.ts';
import { findByIdForUpdate } from './deployment-repository.ts';
import type { DeploymentRow, DeploymentView } from './deployment-row.ts';
import { type Draft, draftDeployment, isPlainText, refuseOversizedResource } from './draft.ts';
import { editsInCluster, withUndone } from './edits-in-cluster.ts';
import { refuseGrowthOverPlan } from './plan-resources.ts';
import { stateOf } from './present-revision.ts';
import { saveChange } from './save-change.ts';
import { storedSizes, storeSecrets } from './store-secrets.ts';
import { toResource } from './to-resource.ts';

/**
 * Changes what a deployment should be. A change that changes nothing makes no revision, so sending it again is harmless.
 * Values, version and address go through the template anew; without a template (adopted from kubectl) the spec itself is kept
 * and values fill its secrets.
 */
export async function updateDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  change: { id: string; body: UpdateDeployment; author: Author; ifRevision?: number | undefined },
): Promise<void> {
  const row = await lockForChange(transaction, change.id, change.ifRevision);
  const displayName = change.body.displayName === undefined ? row.displayName : change.body.displayName || undefined;
  const { draft, addresses, undone } = await redraft(deps, transaction, { row, body: change.body, displayName });
  refuseLostVolumes(row.spec, draft.spec);
  const changedSecrets = [...draft.secrets.keys()];
  const revision = row.revision + 1;
  const spec: UserDeploymentSpec = {
    ...carryOver(draft.spec, row.spec),
    ...(changedSecrets.length > 0 && { secretVersion: String(revision) }),
  };
  const before = stateOf(row);
  const after = { ...before, ...addresses, displayName, spec, values: draft.values };
  if (isDeepStrictEqual(plain(before), plain(after))) return;
  const next: DeploymentRow = {
    ...row,
    ...addresses,
    displayName,
    spec,
    parameterValues: draft.values,
    templateVersion: spec.template?.version,
    revision,
    phase: phaseOfChange(row),
    updatedAt: deps.clock(),
  };
  refuseOversizedResource(toResource(next, row.namespace));
  await refuseGrowthOverPlan(transaction, { before: row, after: next });
  const told = changeSummary({ before, after, changedSecrets });
  const summary = undone(spec, told);
  const message = `${row.name}: ${summary}`;
  await saveChange(transaction, next, {
    clock: deps.clock,
    story: { summary, changedSecrets, by: change.author.email, activity: { kind: 'changed', level: 'info', message } },
    beforeTelling: async () => {
      await takeHosts(deps, transaction, { deploymentId: row.id, addresses, spec, before: row.spec });
      const owner = { teamId: row.teamId, path: row.id };
      await storeSecrets(deps.secrets, transaction, { owner, values: draft.secrets });
    },
  });
}

/** A change that waits changes nothing of what runs. */
export function phaseOfChange(row: DeploymentRow): DeploymentRow['phase'] {
  return row.paused ? row.phase : 'Updating';
}

/** Locks the row, and refuses what is going or has changed since it was looked at. */
export async function lockForChange(
  transaction: Transaction,
  id: string,
  ifRevision?: number | undefined,
): Promise<DeploymentView> {
  const row = await findByIdForUpdate(transaction, id);
  if (!row) throw new BerthError('not_found', 'There is no such deployment.');
  if (row.desired === 'deleted') {
    throw new BerthError('conflict', `${row.name} is being deleted and takes no more changes.`);
  }
  if (ifRevision !== undefined && ifRevision !== row.revision) {
    throw new BerthError(
      'conflict',
      `${row.name} is at revision ${row.revision}, not ${ifRevision}: somebody changed it meanwhile. Look at it again, then repeat your change.`,
    );
  }
  return row;
}

interface Redraft {
  row: DeploymentView;
  body: UpdateDeployment;
  displayName: string | undefined;
}

interface Redrafted {
  draft: Draft;
  addresses: Addresses;
  /** The summary, with what it undoes of edits in the cluster. */
  undone(spec: UserDeploymentSpec, summary: string): string;
}

async function redraft(deps: DeploymentDeps, transaction: Transaction, input: Redraft): Promise<Redrafted> {
  const { row, body, displayName } = input;
  const asked = { host: body.host || row.host, aliases: body.aliases ?? row.aliases };
  const touchesTemplate = [body.values, body.version, body.aliases, body.host || undefined].some(
    (each) => each !== undefined,
  );
  if (row.templateName === undefined || !touchesTemplate) return withoutTemplate(deps, input, asked);
  const version = body.version ?? row.templateVersion;
  const template = await requireTemplate(transaction, row.teamId, { name: row.templateName, version });
  const addresses = row.host === undefined ? withoutHost(body) : checkAddresses(deps.hosts, template, asked);
  const stored = await storedSizes(deps.secrets, transaction, { teamId: row.teamId, path: row.id });
  const known = new Set((template.spec.parameters ?? []).map(({ name }) => name));
  // A value whose question the new version no longer asks is dropped; a given one that it never asked is refused.
  const kept = Object.fromEntries(Object.entries(row.parameterValues).filter(([name]) => known.has(name)));
  const draft = draftDeployment({
    template,
    name: row.name,
    displayName,
    ...addresses,
    url: addresses.host === undefined ? undefined : deps.urlOf(addresses.host),
    values: body.values ?? kept,
    replicas: row.replicas,
    stored,
    generateSecret: deps.generateSecret,
  });
  const edits = await editsInCluster(deps, transaction, { row, stored });
  return { draft, addresses, undone: (spec, summary) => withUndone(summary, { edits, before: row.spec, after: spec }) };
}

/** A deployment that answers at no public address gets none by an edit. */
function withoutHost(body: UpdateDeployment): Addresses {
  const asked = body.host ? 'host' : body.aliases?.length ? 'aliases' : undefined;
  if (asked === undefined) return { host: undefined, aliases: [] };
  throw invalidInput('The change', [{ path: asked, message: 'the deployment answers at no public address' }]);
}

function withoutTemplate(deps: DeploymentDeps, { row, body, displayName }: Redraft, asked: AskedAddresses): Redrafted {
  if (body.version !== undefined && row.templateName === undefined) {
    throw invalidInput('The change', [{ path: 'version', message: 'the deployment was made from no template' }]);
  }
  if (displayName !== undefined && !isPlainText(displayName)) {
    throw invalidInput('The change', [
      { path: 'displayName', message: 'holds a NUL byte or is not valid Unicode text' },
    ]);
  }
  const addresses = row.host === undefined ? withoutHost(body) : freeAddresses(deps, row, { body, asked });
  const { displayName: _old, exposure: _exposure, ...rest } = row.spec;
  const exposure = movedExposure(row, addresses);
  const spec = { ...rest, ...(exposure && { exposure }), ...(displayName !== undefined && { displayName }) };
  const draft = { spec, values: row.parameterValues, secrets: secretsOfSpec(row.spec, body.values ?? {}) };
  return { draft, addresses, undone: (_spec, summary) => summary };
}

/** Addresses that were not asked to change stay as they are written. */
function freeAddresses(
  { hosts }: DeploymentDeps,
  row: DeploymentView,
  { body, asked }: { body: UpdateDeployment; asked: AskedAddresses },
): Addresses {
  const host = body.host ? normaliseHost(body.host, hosts) : row.host;
  if (body.aliases === undefined && !body.host) return { host, aliases: row.aliases };
  return { host, aliases: normaliseAliases(hosts, { host, aliases: asked.aliases }) };
}

function secretsOfSpec(spec: UserDeploymentSpec, values: Record<string, ParameterValue>): Map<string, string> {
  const keys = new Set(spec.secretKeys ?? []);
  const unknown: FieldError[] = Object.keys(values)
    .filter((name) => !keys.has(name))
    .map((name) => ({
      path: `values.${name}`,
      message: 'is no secret of this deployment; edit its spec with kubectl',
    }));
  if (unknown.length > 0) throw invalidInput('The change', unknown);
  return new Map(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** A volume that an update would leave behind, or make smaller than what it holds, is data that somebody would miss. */
export function refuseLostVolumes(before: UserDeploymentSpec, after: UserDeploymentSpec): void {
  const sizes = new Map(
    after.services.flatMap((service) =>
      (service.volumes ?? []).map((volume) => [`${service.name}/${volume.name}`, volume.size] as const),
    ),
  );
  const fields: FieldError[] = [];
  for (const service of before.services) {
    for (const { name, size } of service.volumes ?? []) {
      const next = sizes.get(`${service.name}/${name}`);
      const path = `services.${service.name}.volumes.${name}`;
      if (next === undefined)
        fields.push({ path, message: 'would be lost with all it holds; delete the deployment for that' });
      else if (quantity(next) < quantity(size)) {
        fields.push({ path, message: `cannot shrink from ${size} to ${next}; a volume only grows` });
      }
    }
  }
  if (fields.length > 0) throw invalidInput('The change', fields);
}

/** Without keys whose value is undefined: absent and undefined are the same here. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
