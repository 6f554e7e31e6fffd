import type { Activity } from '@berth/core/deployment';
import type { Clock } from '../clock.ts';
import type { Transaction } from '../db/database.ts';
import { recordLiveChange } from '../live/live-changes.ts';
import { recordActivity } from './activity.ts';
import { insert, updateWanted } from './deployment-repository.ts';
import type { DeploymentRow } from './deployment-row.ts';
import { enqueue } from './outbox.ts';
import { insertRevision } from './revision-repository.ts';

/** How a change is told to people. */
export interface ChangeStory {
  /** Of the revision. */
  summary: string;
  by: string;
  /** Names of the secrets that get a value with it. */
  changedSecrets?: Iterable<string>;
  activity: { kind: Activity['kind']; level: Activity['level']; message: string; service?: string | undefined };
}

export interface SaveOptions {
  story: ChangeStory;
  clock: Clock;
  isNew?: boolean;
  /** What needs the row (its claims refer to it) and still comes before the team's positions are locked. */
  beforeTelling?: () => Promise<void>;
}

/** The end of every change of what is wanted: row, revision, outbox entry, activity and live change, in one transaction. */
export async function saveChange(
  transaction: Transaction,
  row: DeploymentRow,
  { story, clock, isNew = false, beforeTelling }: SaveOptions,
): Promise<void> {
  if (isNew) await insert(transaction, row);
  else await updateWanted(transaction, row);
  await insertRevision(transaction, row, story);
  await beforeTelling?.();
  await enqueue(transaction, row.id);
  await tellChange(transaction, row, { story, clock });
}

/** Takes the lock on the team's positions: nothing slow may follow. */
export async function tellChange(
  transaction: Transaction,
  row: Pick<DeploymentRow, 'id' | 'teamId' | 'name'>,
  { story, clock }: { story: Pick<ChangeStory, 'by' | 'activity'>; clock: Clock },
): Promise<void> {
  const about = { teamId: row.teamId, deploymentId: row.id, deploymentName: row.name };
  await recordActivity(transaction, { ...about, ...story.activity, by: story.by }, clock);
  await recordLiveChange(transaction, { teamId: row.teamId, kind: 'deployment', objectId: row.id }, clock);
}
