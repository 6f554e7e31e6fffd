import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { openWithoutStyleElements } from './allowed-styles.ts';

/** YAML with highlighting, and marks in the gutter for what is wrong. A chunk of its own. */
export interface CodeProblem {
  line: number;
  message: string;
}

export interface TemplateCodeProps {
  text: string;
  onText?: (text: string) => void;
  problems: readonly CodeProblem[];
  readOnly?: boolean;
  label: string;
  /** Set it to go to a line; the count makes the same line another wish. */
  goTo?: { line: number; count: number };
  onSave?: () => void;
}

/** The roles of the page, so that light and dark need no second theme. */
const THEME = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--panel)', height: '100%', fontSize: '12.5px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: '"JetBrains Mono", "DejaVu Sans Mono", monospace', lineHeight: '19px' },
  '.cm-content': { caretColor: 'var(--accent)', fontFeatureSettings: '"calt" 0' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--sunken) 60%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 24%, transparent)',
  },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-textfield': { backgroundColor: 'var(--panel)', border: '1px solid var(--control)', borderRadius: '4px' },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
  },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', border: '1px solid var(--line-strong)', borderRadius: '6px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--warn) 28%, transparent)' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--accent) 14%, transparent)' },
});
const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--info)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--sleep)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.meta, tags.labelName], color: 'var(--warn)' },
]);

export function TemplateCode({ text, onText, problems, readOnly = false, label, goTo, onSave }: TemplateCodeProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ onText, onSave });
  latest.current = { onText, onSave };
  const first = useRef({ text, label });
  const changeable = useRef(new Compartment());

  useEffect(() => {
    if (!box.current) return;
    const parent = box.current;
    const created = openWithoutStyleElements(
      () =>
        new EditorView({
          parent,
          state: EditorState.create({
            doc: first.current.text,
            extensions: [
              lineNumbers(),
              lintGutter(),
              history(),
              drawSelection(),
              indentOnInput(),
              bracketMatching(),
              highlightActiveLine(),
              highlightSelectionMatches(),
              search({ top: false }),
              yaml(),
              syntaxHighlighting(COLOURS),
              THEME,
              EditorState.tabSize.of(2),
              EditorView.contentAttributes.of({ 'aria-label': first.current.label, tabindex: '0' }),
              changeable.current.of(EditorState.readOnly.of(false)),
              keymap.of([
                {
                  key: 'Mod-s',
                  preventDefault: true,
                  run: () => {
                    latest.current.onSave?.();
                    return true;
                  },
                },
                ...defaultKeymap,
                ...historyKeymap,
                ...searchKeymap,
                ...lintKeymap,
                indentWithTab,
              ]),
              EditorView.updateListener.of((update) => {
                if (update.docChanged) latest.current.onText?.(update.state.doc.toString());
              }),
            ],
          }),
        }),
    );
    view.current = created;
    return () => {
      created.destroy();
      view.current = undefined;
    };
  }, []);

  // Text that came from elsewhere: a version that was chosen, a draft that was thrown away.
  useEffect(() => {
    const { current } = view;
    if (!current || current.state.doc.toString() === text) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } });
  }, [text]);

  useEffect(() => {
    view.current?.dispatch({
      effects: changeable.current.reconfigure([EditorState.readOnly.of(readOnly), EditorView.editable.of(!readOnly)]),
    });
  }, [readOnly]);

  useEffect(() => {
    const { current } = view;
    if (current)
      current.dispatch(
        setDiagnostics(
          current.state,
          problems.map((each) => diagnosticOf(current.state, each)),
        ),
      );
  }, [problems]);

  useEffect(() => {
    const { current } = view;
    if (!current || !goTo) return;
    const { from } = lineAt(current.state, goTo.line);
    current.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    current.focus();
  }, [goTo]);

  return <div ref={box} className="h-full min-h-0" />;
}

function lineAt(state: EditorState, line: number) {
  return state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
}

function diagnosticOf(state: EditorState, { line, message }: CodeProblem): Diagnostic {
  const { from, to, text } = lineAt(state, line);
  return { from: from + (text.length - text.trimStart().length), to, severity: 'error', message };
}
