import type { Deployment } from '@berth/core/deployment';

/** What there is to say while the wanted version is not what runs. */
export interface UpdateNews {
  state: 'progressing' | 'stopped' | 'paused';
  /** The revision that is wanted. */
  wanted: number;
  /** The one that serves, when it is known. */
  serving: number | undefined;
  title: string;
  message: string | undefined;
}

export function updateNewsOf(deployment: Deployment): UpdateNews | undefined {
  const { update, revision, paused, desired, phase } = deployment;
  if (desired !== 'running' || phase === 'Deleting') return undefined;
  const serving = servingRevision(deployment);
  const common = { wanted: revision, serving };
  if (paused) {
    const what = serving === undefined ? 'What runs stays as it is' : `Revision ${serving} keeps serving`;
    const message = `${what}; changes wait until you resume.`;
    return { state: 'paused', ...common, title: 'Updates are paused', message };
  }
  // A newer change was taken, of which the operator has not told yet: what it told last is of the change before.
  if (update?.state === 'stopped' && phase === 'Updating') {
    return { state: 'progressing', ...common, title: `Updating to revision ${revision}`, message: undefined };
  }
  if (update?.state === 'stopped') {
    const keeps = serving === undefined ? 'The version before keeps serving' : `Revision ${serving} keeps serving`;
    const title = `Update to revision ${revision} was stopped. ${keeps}.`;
    return { state: 'stopped', ...common, title, message: update.message };
  }
  // A first start is no update: nothing serves yet.
  if (update?.state !== 'progressing') return undefined;
  const down = update.replaces ?? [];
  return {
    state: 'progressing',
    ...common,
    title: `Updating to revision ${revision}`,
    message:
      down.length > 0
        ? `${namesInWords(down)} ${down.length === 1 ? 'is' : 'are'} being replaced: down for some seconds.`
        : undefined,
  };
}

/** What to go back to when the update cannot be: the revision that serves and is not the wanted one. */
export function servingRevision({ update, revision }: Deployment): number | undefined {
  const serving = Number(update?.servingRevision);
  return Number.isInteger(serving) && serving > 0 && serving !== revision ? serving : undefined;
}

/** "web", "web and database", "web, api and database". */
export function namesInWords(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
