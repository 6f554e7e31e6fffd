/** What somebody writes and has not saved, kept by this browser: a closed tab loses nothing. */
export interface TemplateDraft {
  source: string;
  at: string;
}

export function readDraft(teamId: string, what: string): TemplateDraft | undefined {
  try {
    const stored = localStorage.getItem(keyOf(teamId, what));
    const draft: unknown = stored === null ? undefined : JSON.parse(stored);
    return isDraft(draft) ? draft : undefined;
  } catch {
    return undefined; // Storage is switched off, or holds what others put there.
  }
}

export function keepDraft(teamId: string, what: string, draft: TemplateDraft): void {
  try {
    localStorage.setItem(keyOf(teamId, what), JSON.stringify(draft));
  } catch {
    return; // Switched off, or full: leaving the page still asks.
  }
}

export function forgetDraft(teamId: string, what: string): void {
  try {
    localStorage.removeItem(keyOf(teamId, what));
  } catch {
    return; // As above.
  }
}

function keyOf(teamId: string, what: string): string {
  return `berth.template-draft.${teamId}.${what}`;
}

function isDraft(value: unknown): value is TemplateDraft {
  const { source, at } = (value ?? {}) as Partial<TemplateDraft>;
  return typeof source === 'string' && typeof at === 'string';
}
