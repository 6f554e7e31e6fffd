import { isBerthError } from '@berth/core/errors';
import { isName, NAME_RULE } from '@berth/core/names';
import { fieldErrors } from '@berth/core/parse';
import { type UserDeploymentSpec, userDeploymentSpecSchema } from '@berth/core/user-deployment';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import { auditObserved } from './audit-observed.ts';
import { findByName, setAddresses, setResourceUid } from './deployment-repository.ts';
import type { DeploymentRow } from './deployment-row.ts';
import { isPlainText } from './draft.ts';
import type { ObserveDeps, Team } from './observe-deps.ts';
import { lockSlots, refuseWhenFull } from './plan-slots.ts';
import { saveChange } from './save-change.ts';
import { specAuthor } from './spec-author.ts';
import { aliasesOf, claimHostsOf } from './spec-hosts.ts';
import { revisionOf } from './to-resource.ts';

export interface Refusal {
  /** Of the condition `Admitted`. */
  reason: string;
  message: string;
}

/**
 * Takes a resource that somebody made with kubectl in a team's namespace into the database: slot, row, first revision, and
 * of its hosts those that are free. Returns why not, if not.
 */
export async function adoptResource(
  deps: ObserveDeps,
  team: Team,
  resource: UserDeployment,
): Promise<Refusal | undefined> {
  const { name, uid } = resource.metadata;
  if (!isName(name)) return { reason: 'InvalidName', message: `The name "${name}" cannot be used: it ${NAME_RULE}.` };
  const spec = checkSpec(resource);
  if ('reason' in spec) return spec;
  try {
    await deps.database.transaction(async (transaction) => {
      refuseWhenFull(await lockSlots(transaction, team.organizationId));
      if (await findByName(transaction, team.id, name)) return;
      const row = newRow(deps, { team, resource, spec });
      const by = row.createdBy;
      await saveChange(transaction, row, {
        isNew: true,
        clock: deps.clock,
        story: {
          summary: 'adopted from the cluster',
          by,
          activity: { kind: 'created', level: 'info', message: `${name} was adopted from the cluster` },
        },
        beforeTelling: async () => {
          const claim = { spec, deploymentId: row.id, rules: deps.hosts, at: row.createdAt };
          const { granted } = await claimHostsOf(transaction, claim);
          const [host] = granted;
          await setAddresses(transaction, row.id, { host, aliases: aliasesOf(spec, { host }) });
          if (uid !== undefined) await setResourceUid(transaction, row.id, uid);
        },
      });
      await auditObserved(transaction, row, {
        action: 'deployment:create',
        detail: `made with ${by}`,
        clock: deps.clock,
      });
    });
    deps.logger.info({ namespace: team.namespace, name }, 'deployment adopted');
    return undefined;
  } catch (error) {
    if (isBerthError(error, 'limit_reached')) return { reason: 'LimitReached', message: error.message };
    throw error;
  }
}

/** The same schema as for the API; the definition in the cluster checks only a part of it. */
export function checkSpec(resource: UserDeployment): UserDeploymentSpec | Refusal {
  const result = userDeploymentSpecSchema.safeParse(resource.spec);
  if (!result.success) {
    const [first] = fieldErrors(result.error);
    return { reason: 'InvalidSpec', message: `spec.${first?.path ?? ''}: ${first?.message ?? 'is not right'}` };
  }
  if (!isPlainText(JSON.stringify(result.data).replaceAll('\\u0000', '\0'))) {
    return { reason: 'InvalidSpec', message: 'The spec holds a NUL byte; put such data into a secret file.' };
  }
  return result.data;
}

function newRow(
  deps: ObserveDeps,
  { team, resource, spec }: { team: Team; resource: UserDeployment; spec: UserDeploymentSpec },
): DeploymentRow {
  const now = deps.clock();
  return {
    id: deps.newId(),
    teamId: team.id,
    organizationId: team.organizationId,
    name: resource.metadata.name,
    ...provenanceOf(spec),
    parameterValues: {},
    spec,
    desired: spec.desired ?? 'running',
    aliases: [],
    replicas: {},
    paused: spec.paused ?? false,
    // Above what a copied resource may say, so that this row's own revision is written to it.
    revision: revisionOf(resource) + 1,
    phase: 'Pending',
    createdBy: specAuthor(resource),
    createdAt: now,
    updatedAt: now,
  };
}

export function provenanceOf(
  spec: UserDeploymentSpec,
): Pick<DeploymentRow, 'displayName' | 'templateName' | 'templateVersion'> {
  return {
    displayName: spec.displayName,
    templateName: spec.template?.name,
    templateVersion: spec.template?.version,
  };
}
