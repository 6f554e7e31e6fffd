import type { UpdateDeployment, UpdatePreview } from '@berth/core/deployment';
import { isScheduled } from '@berth/core/job';
import type { Service } from '@berth/core/service';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Queryable } from '../db/database.ts';
import { refuseTakenHosts } from './addresses.ts';
import { fieldsInWords } from './change-summary.ts';
import type { DeploymentDeps } from './deployment-deps.ts';
import type { DeploymentRow, DeploymentView } from './deployment-row.ts';
import { warningsOf } from './draft.ts';
import { planUpdate, type UpdatePlan } from './plan-update.ts';
import { labelsOf } from './present-revision.ts';
import { compareRevisions } from './revision-changes.ts';
import { jobFacts, serviceFacts } from './spec-facts.ts';

/** What of a service changes without another pod. */
const NO_NEW_POD: ReadonlySet<string> = new Set(['replicas', 'waits for', 'time to become ready']);

/** What a change would do, with every check that the change itself makes. */
export async function previewUpdate(
  deps: DeploymentDeps,
  queryable: Queryable,
  { row, body }: { row: DeploymentView; body: UpdateDeployment },
): Promise<UpdatePreview> {
  const plan = await planUpdate(deps, queryable, { row, body });
  const { next, addresses, comparison } = plan;
  await refuseTakenHosts(deps, queryable, { deploymentId: row.id, addresses, spec: next.spec, before: row.spec });
  const labels = new Map([...(await labelsOf(queryable, row)), ...(await labelsOf(queryable, next))]);
  const changes = compareRevisions({ ...comparison, labels });
  const touched = row.desired === 'running' ? servicesWithNewPods(row.spec, next.spec) : [];
  return {
    changes: changes.map(({ topic: _topic, name: _name, ...change }) => change),
    rolls: touched.filter(({ volumes }) => !volumes?.length).map(({ name }) => name),
    replaces: touched.filter(({ volumes }) => volumes?.length).map(({ name }) => name),
    warnings: warningsOfUpdate(deps, row, plan),
  };
}

function servicesWithNewPods(before: UserDeploymentSpec, after: UserDeploymentSpec): Service[] {
  const old = new Map(before.services.map((service) => [service.name, serviceFacts(service)]));
  const newSecrets = before.secretVersion !== after.secretVersion;
  return after.services.filter((service) => {
    const facts = old.get(service.name);
    if (!facts) return false;
    const next = serviceFacts(service);
    const fields = new Set([...facts.keys(), ...next.keys()]);
    const changed = [...fields].some((field) => !NO_NEW_POD.has(field) && facts.get(field) !== next.get(field));
    return changed || (newSecrets && takesSecrets(service));
  });
}

function takesSecrets({ env = [], files = [] }: Service): boolean {
  return [...env, ...files].some(({ secretKey }) => secretKey !== undefined);
}

function warningsOfUpdate({ hosts }: DeploymentDeps, row: DeploymentRow, { next, undone }: UpdatePlan): string[] {
  const known = new Set((row.spec.exposure ?? []).map(({ host }) => host));
  const added = (next.spec.exposure ?? []).map(({ host }) => host).filter((host) => !known.has(host));
  const warnings = warningsOf(next.spec, { hosts: added, domain: hosts.domain });
  if (undone.length > 0) {
    warnings.push(`This undoes what was edited in the cluster: ${fieldsInWords(undone).join(', ')}.`);
  }
  for (const job of jobsThatRunAgain(row.spec, next.spec)) warnings.push(`The job ${job} runs first.`);
  return warnings;
}

function jobsThatRunAgain(before: UserDeploymentSpec, after: UserDeploymentSpec): string[] {
  const old = new Map((before.jobs ?? []).map((job) => [job.name, jobFacts(job)]));
  const text = (facts: ReturnType<typeof jobFacts> | undefined) => JSON.stringify([...(facts ?? [])]);
  return (after.jobs ?? [])
    .filter((job) => !isScheduled(job) && text(old.get(job.name)) !== text(jobFacts(job)))
    .map(({ name }) => name);
}
