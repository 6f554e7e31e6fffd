import type { UpdateDeployment } from '@berth/core/deployment';
import { type FieldError, invalidInput } from '@berth/core/errors';
import { normaliseHost } from '@berth/core/host';
import type { ParameterValue } from '@berth/core/parameter';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Queryable } from '../db/database.ts';
import { type Addresses, type AskedAddresses, checkAddresses, movedExposure, normaliseAliases } from './addresses.ts';
import { requireTemplate } from './create-deployment.ts';
import type { DeploymentDeps } from './deployment-deps.ts';
import type { DeploymentView } from './deployment-row.ts';
import { type Draft, draftDeployment, isPlainText } from './draft.ts';
import { editsInCluster } from './edits-in-cluster.ts';
import type { Difference } from './revision-changes.ts';
import { storedSizes } from './store-secrets.ts';

interface Redraft {
  row: DeploymentView;
  body: UpdateDeployment;
  displayName: string | undefined;
}

export interface Redrafted {
  draft: Draft;
  addresses: Addresses;
  /** What was edited in the cluster and does not come out of the template. */
  edits: readonly Difference[];
}

/**
 * What the form means after a change. Values, version and addresses go through the template anew; without a template (adopted from
 * kubectl) the spec itself is kept and values fill its secrets.
 */
export async function redraft(deps: DeploymentDeps, queryable: Queryable, input: Redraft): Promise<Redrafted> {
  const { row, body, displayName } = input;
  const asked = { host: body.host || row.host, aliases: body.aliases ?? row.aliases };
  const touchesTemplate = [body.values, body.version, body.aliases, body.host || undefined].some(
    (each) => each !== undefined,
  );
  if (row.templateName === undefined || !touchesTemplate) return withoutTemplate(deps, input, asked);
  const version = body.version ?? row.templateVersion;
  const template = await requireTemplate(queryable, row.teamId, { name: row.templateName, version });
  const addresses = row.host === undefined ? withoutHost(body) : checkAddresses(deps.hosts, template, asked);
  const stored = await storedSizes(deps.secrets, queryable, { teamId: row.teamId, path: row.id });
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
  const edits = await editsInCluster(deps, queryable, { row, stored });
  return { draft, addresses, edits };
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
  return { draft, addresses, edits: [] };
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
