import { checkTemplate, type TemplateProblem } from '@berth/core/check-template';
import type { TemplateDetail } from '@berth/core/routes/template-routes';
import type { Template } from '@berth/core/template';
import { useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { isProblem } from '../api/problem.ts';
import { saveTemplate } from '../api/queries/template.ts';
import { forgetDraft, keepDraft, readDraft, type TemplateDraft } from './template-draft.ts';
import { nextVersion } from './template-text.ts';

export interface TemplateEditorOptions {
  teamId: string;
  /** Under which its draft is kept: the template's name, or where a new one began. */
  what: string;
  /** As it opens without a draft. */
  start: string;
  /** Of this template, saved before. */
  versions: readonly string[];
  /** What ships with Berth: these names are taken. */
  shippedNames: ReadonlySet<string>;
  onSaved: (saved: TemplateDetail) => void;
}

export interface TemplateEditor {
  text: string;
  setText: (text: string) => void;
  /** The last text that could be read: what the preview shows. */
  template: Template | undefined;
  problems: readonly TemplateProblem[];
  dirty: boolean;
  /** What was found in this browser and is shown. */
  draft: TemplateDraft | undefined;
  discardDraft: () => void;
  save: () => Promise<void>;
  saving: boolean;
  /** Why it could not be saved, when that is wrong with no field. */
  failure: Error | undefined;
}

const KEEP_AFTER_MILLISECONDS = 400;

/** The text of a template while it is written: what is wrong with it, its draft in this browser, its way to the server. */
export function useTemplateEditor(options: TemplateEditorOptions): TemplateEditor {
  const { teamId, what, start, versions, shippedNames, onSaved } = options;
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => readDraft(teamId, what));
  const [text, setText] = useState(draft?.source ?? start);
  const [refused, setRefused] = useState<{ text: string; problems: TemplateProblem[] }>();
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const checkedText = useDeferredValue(text);
  const checked = useMemo(() => checkTemplate(checkedText), [checkedText]);
  const lastGood = useRef(checked.template);
  if (checked.template) lastGood.current = checked.template;
  const problems = useMemo(
    () => [
      ...checked.problems,
      ...takenProblems(checked, { versions, shippedNames }),
      ...(refused?.text === checkedText ? refused.problems : []),
    ],
    [checked, checkedText, versions, shippedNames, refused],
  );
  const saved = useRef(false);
  const dirty = text !== start;

  useEffect(() => {
    if (saved.current) return;
    const timer = setTimeout(() => {
      if (dirty) keepDraft(teamId, what, { source: text, at: new Date().toISOString() });
      else forgetDraft(teamId, what);
    }, KEEP_AFTER_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text, dirty, teamId, what]);

  const save = async () => {
    if (saving) return;
    setSaving(true);
    setFailure(undefined);
    try {
      const answer = await saveTemplate(client, teamId, text);
      saved.current = true;
      forgetDraft(teamId, what);
      onSaved(answer);
    } catch (error) {
      const { lineOf } = checkTemplate(text);
      const fields = isProblem(error) ? (error.problem.fields ?? []) : [];
      setRefused({ text, problems: fields.map((each) => ({ ...each, line: lineOf(each.path) })) });
      if (fields.length === 0) setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setSaving(false);
    }
  };

  return {
    text,
    setText,
    template: lastGood.current,
    problems,
    dirty,
    draft,
    discardDraft: () => {
      forgetDraft(teamId, what);
      setDraft(undefined);
      setText(start);
    },
    save,
    saving,
    failure,
  };
}

/** What the server would say of the name and the version, said while it is typed. */
function takenProblems(
  { template, lineOf }: ReturnType<typeof checkTemplate>,
  { versions, shippedNames }: Pick<TemplateEditorOptions, 'versions' | 'shippedNames'>,
): TemplateProblem[] {
  if (!template) return [];
  const { name } = template.metadata;
  const { version } = template.spec;
  const problems: Omit<TemplateProblem, 'line'>[] = [];
  if (shippedNames.has(name)) {
    problems.push({ path: 'metadata.name', message: `"${name}" ships with Berth; choose another name` });
  } else if (versions.includes(version)) {
    const next = nextVersion(versions);
    problems.push({
      path: 'spec.version',
      message: `${version} is saved already and never changes; write a newer one, such as ${next}`,
    });
  }
  return problems.map((each) => ({ ...each, line: lineOf(each.path) }));
}
