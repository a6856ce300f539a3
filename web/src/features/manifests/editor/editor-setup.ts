import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, nextDiagnostic, previousDiagnostic } from '@codemirror/lint';
import { Annotation, EditorState, type Extension, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { ConfigError } from '@hamlet/engine/manifests';
import { tags } from '@lezer/highlight';

/** Marks a change that the page makes, so that it is not taken for one of the person. */
export const FROM_PAGE = Annotation.define<true>();

/** The colours are those of the page: custom properties reach into the shadow root of the editor. */
const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--waiting)' },
  { tag: [tags.content, tags.attributeValue], color: 'var(--ink)' },
  { tag: [tags.keyword, tags.bool, tags.null, tags.number], color: 'var(--sleep)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--ink-faint)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.squareBracket, tags.brace, tags.separator], color: 'var(--ink-soft)' },
]);

const LOOK = EditorView.theme({
  '&': { height: '100%', fontSize: 'inherit', color: 'var(--ink)', backgroundColor: 'var(--paper-solid)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: "ui-monospace, 'Cascadia Mono', Menlo, monospace", lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--paper-deep)', color: 'var(--ink-faint)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--code)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    maxWidth: 'min(420px, 80vw)',
    border: '1px solid var(--line-strong)',
    borderRadius: '9px',
    backgroundColor: 'var(--paper-solid)',
    color: 'var(--ink)',
    fontFamily: "'Nunito Variable', system-ui, sans-serif",
    overflowWrap: 'anywhere',
  },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)', padding: '6px 10px' },
});

type Setup = Readonly<{ label: string; readOnly: boolean; onChange: (text: string) => void; onSave: () => void }>;

/** The extensions of the editor. Tab indents; Escape, then Tab, leaves it. F8 goes to the next problem. */
export function editorSetup({ label, readOnly, onChange, onSave }: Setup): readonly Extension[] {
  const save = (): boolean => {
    onSave();
    return true;
  };
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    highlightSpecialChars(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of('  '),
    bracketMatching(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    yaml(),
    syntaxHighlighting(COLOURS),
    EditorView.lineWrapping,
    LOOK,
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': String(readOnly), spellcheck: 'false' }),
    keymap.of([
      { key: 'Mod-s', run: save, preventDefault: true },
      { key: 'F8', run: nextDiagnostic },
      { key: 'Shift-F8', run: previousDiagnostic },
      ...(readOnly ? [] : [indentWithTab]),
      ...defaultKeymap,
      ...historyKeymap,
    ]),
    EditorView.updateListener.of((update) => {
      const isTyped = update.transactions.some((each) => each.docChanged && each.annotation(FROM_PAGE) === undefined);
      if (isTyped) onChange(update.state.doc.toString());
    }),
  ];
}

/** The offset of a place in a text that may have changed since. `line` and `column` start at 1. */
export function offsetAt(text: Text, { line, column }: Pick<ConfigError, 'line' | 'column'>): number {
  const found = text.line(Math.min(Math.max(1, line), text.lines));
  return Math.min(found.from + Math.max(0, column - 1), found.to);
}

/** The marks of errors: from the place of each to the end of its word, or of its line. */
export function diagnosticsOf(state: EditorState, errors: readonly ConfigError[]): readonly Diagnostic[] {
  return errors.map((error) => {
    const from = offsetAt(state.doc, error);
    const to = state.wordAt(from)?.to ?? state.doc.lineAt(from).to;
    const message = error.hint === null ? error.message : `${error.message}\n${error.hint}`;
    return { from, to: Math.max(from, to), severity: 'error', message };
  });
}
