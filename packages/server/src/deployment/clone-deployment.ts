import type { cloneSchema } from '@berth/core/deployment';
import { BerthError, invalidInput } from '@berth/core/errors';
import { normaliseHost } from '@berth/core/host';
import type { z } from 'zod';
import type { Transaction } from '../db/database.ts';
import { type Addresses, checkAddresses, movedExposure, takeHosts } from './addresses.ts';
import { fieldsInWords } from './change-summary.ts';
import { type Place, refuseTakenName, requireTemplate } from './create-deployment.ts';
import type { Author, DeploymentDeps } from './deployment-deps.ts';
import { findById } from './deployment-repository.ts';
import type { DeploymentRow, DeploymentView } from './deployment-row.ts';
import { draftDeployment, isPlainText, refuseOversizedResource } from './draft.ts';
import { editsInCluster } from './edits-in-cluster.ts';
import { plain } from './plain.ts';
import { refuseOverPlan, usesOfRow } from './plan-resources.ts';
import { lockSlots, refuseWhenFull } from './plan-slots.ts';
import { renamedSpec } from './renamed-spec.ts';
import { saveChange } from './save-change.ts';
import { storeSecrets } from './store-secrets.ts';
import { toResource } from './to-resource.ts';

export interface CloneRequest {
  /** Of what is copied. */
  id: string;
  place: Place;
  body: z.output<typeof cloneSchema>;
  author: Author;
}

type Copied = Pick<DeploymentRow, 'spec' | 'parameterValues'> & {
  addresses: Addresses;
  secrets: ReadonlyMap<string, string>;
  /** What of the source is not copied, for people. */
  except?: string | undefined;
};

/**
 * Another deployment of the same team with the same template, values, numbers of pods and secrets. It has its own address and no
 * aliases, runs and is not paused, and its volumes begin empty. Returns the new row's id.
 */
export async function cloneDeployment(
  deps: DeploymentDeps,
  transaction: Transaction,
  { id, place, body, author }: CloneRequest,
): Promise<string> {
  const { clock } = deps;
  refuseWhenFull(await lockSlots(transaction, place.organizationId));
  await refuseTakenName(transaction, place.teamId, body.name);
  const source = await findById(transaction, id);
  if (!source) throw new BerthError('not_found', 'There is no such deployment.');
  if (source.desired === 'deleted') {
    throw new BerthError('conflict', `${source.name} is being deleted and cannot be copied any more.`);
  }
  const displayName = body.displayName || undefined;
  const {
    spec,
    parameterValues,
    addresses,
    secrets,
    except = '',
  } = await copyOf(deps, transaction, { source, body, displayName });
  const now = clock();
  const { teamId, organizationId, templateName, templateVersion, replicas } = source;
  const row: DeploymentRow = {
    id: deps.newId(),
    teamId,
    organizationId,
    name: body.name,
    displayName,
    templateName,
    templateVersion,
    parameterValues,
    spec: plain({ ...spec, desired: 'running', secretVersion: secrets.size > 0 ? '1' : undefined }),
    desired: 'running',
    revision: 1,
    ...addresses,
    replicas,
    paused: false,
    phase: 'Pending',
    createdBy: author.email,
    createdAt: now,
    updatedAt: now,
  };
  refuseOversizedResource(toResource(row, source.namespace));
  await refuseOverPlan(transaction, place, { after: usesOfRow(row) });
  const activity = {
    kind: 'created',
    level: 'info',
    message: `${body.name} was cloned from ${source.name}${except}`,
  } as const;
  await saveChange(transaction, row, {
    isNew: true,
    clock,
    story: {
      summary: `cloned from ${source.name}${except}`,
      by: author.email,
      changedSecrets: secrets.keys(),
      activity,
    },
    beforeTelling: async () => {
      await takeHosts(deps, transaction, { deploymentId: row.id, addresses, spec: row.spec });
      await storeSecrets(deps.secrets, transaction, { owner: { teamId, path: row.id }, values: secrets });
    },
  });
  return row.id;
}

interface CopyRequest {
  source: DeploymentView;
  body: CloneRequest['body'];
  displayName: string | undefined;
}

async function copyOf(deps: DeploymentDeps, transaction: Transaction, request: CopyRequest): Promise<Copied> {
  const { source, body, displayName } = request;
  const stored = await storedSecrets(deps, transaction, source);
  if (source.templateName === undefined) return { ...copyOfSpec(deps, request), secrets: stored };
  const wanted = { name: source.templateName, version: source.templateVersion };
  const template = await requireTemplate(transaction, source.teamId, wanted);
  const host = body.host || (template.spec.exposure && body.name);
  const addresses = checkAddresses(deps.hosts, template, { host, aliases: [] });
  const sizes = new Map([...stored].map(([key, value]) => [key, Buffer.byteLength(value)]));
  const draft = draftDeployment({
    template,
    name: body.name,
    displayName,
    host: addresses.host,
    url: addresses.host === undefined ? undefined : deps.urlOf(addresses.host),
    values: source.parameterValues,
    replicas: source.replicas,
    stored: sizes,
    generateSecret: deps.generateSecret,
  });
  const edits = await editsInCluster(deps, transaction, { row: source, stored: sizes });
  const except = edits.length === 0 ? undefined : `, without edits in the cluster: ${fieldsInWords(edits).join(', ')}`;
  const secrets = new Map([...stored, ...draft.secrets]);
  return { spec: draft.spec, parameterValues: draft.values, addresses, secrets, except };
}

/** What was made with kubectl has no template: its spec is copied, with its own names in it changed. */
function copyOfSpec(deps: DeploymentDeps, { source, body, displayName }: CopyRequest): Omit<Copied, 'secrets'> {
  if (displayName !== undefined && !isPlainText(displayName)) {
    throw invalidInput('The deployment', [
      { path: 'displayName', message: 'holds a NUL byte or is not valid Unicode text' },
    ]);
  }
  if (body.host && source.host === undefined) {
    throw invalidInput('The deployment', [{ path: 'host', message: `${source.name} answers at no public address` }]);
  }
  const host = source.host === undefined ? undefined : normaliseHost(body.host || body.name, deps.hosts);
  const addresses = { host, aliases: [] };
  const exposure =
    host === undefined ? undefined : movedExposure(source, addresses)?.filter((each) => each.host === host);
  const { exposure: _exposure, paused: _paused, restartedAt: _restarted, displayName: _title, ...rest } = source.spec;
  const spec = renamedSpec(
    { ...rest, ...(exposure && { exposure }), ...(displayName !== undefined && { displayName }) },
    { from: source.name, to: body.name },
  );
  return { spec, parameterValues: source.parameterValues, addresses };
}

async function storedSecrets(
  { secrets }: DeploymentDeps,
  transaction: Transaction,
  { teamId, id }: DeploymentRow,
): Promise<Map<string, string>> {
  const owner = { teamId, path: id };
  const values = new Map<string, string>();
  for (const key of await secrets.list(transaction, owner)) {
    const value = await secrets.get(transaction, { ...owner, key });
    if (value !== undefined) values.set(key, value);
  }
  return values;
}
