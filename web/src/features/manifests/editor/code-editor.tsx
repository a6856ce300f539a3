import { setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { ConfigError } from '@hamlet/engine/manifests';
import { useEffect, useRef } from 'react';
import { diagnosticsOf, editorSetup, FROM_PAGE, offsetAt } from './editor-setup.ts';

/** A place to which the editor moves its cursor. Another object, even with the same place, moves it again. */
export type Jump = Readonly<{ file: string; line: number; column: number }>;

interface CodeEditorProps {
  readonly file: string;
  readonly text: string;
  readonly errors: readonly ConfigError[];
  readonly readOnly: boolean;
  readonly jump: Jump | null;
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
}

/**
 * CodeMirror for one of several files; each file keeps its own undo history and cursor. It is in a shadow root, where its styles are
 * adopted style sheets: the page's content security policy refuses style elements.
 */
export function CodeEditor({ file, text, errors, readOnly, jump, onChange, onSave }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const open = useRef<string | null>(null);
  const states = useRef(new Map<string, EditorState>());
  const latest = useRef({ onChange, onSave });
  latest.current = { onChange, onSave };

  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const made = new EditorView({ parent: root, root });
    view.current = made;
    const kept = states.current;
    return () => {
      if (open.current !== null) kept.set(open.current, made.state);
      open.current = null;
      view.current = null;
      made.destroy();
    };
  }, []);

  useEffect(() => {
    const shown = view.current;
    if (shown === null) return;
    if (open.current !== file) {
      if (open.current !== null) states.current.set(open.current, shown.state);
      open.current = file;
      shown.setState(states.current.get(file) ?? newState({ file, text, readOnly, latest }));
    }
    const { doc } = shown.state;
    if (doc.toString() !== text)
      shown.dispatch({ changes: { from: 0, to: doc.length, insert: text }, annotations: FROM_PAGE.of(true) });
  }, [file, text, readOnly]);

  useEffect(() => {
    const shown = view.current;
    if (shown !== null) shown.dispatch(setDiagnostics(shown.state, diagnosticsOf(shown.state, errors)));
  }, [file, errors]);

  useEffect(() => {
    const shown = view.current;
    if (shown === null || jump?.file !== file) return;
    const anchor = offsetAt(shown.state.doc, jump);
    shown.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    shown.focus();
  }, [file, jump]);

  useKeysOfItsOwn(host);
  return <div ref={host} className="code-editor" data-file={file} />;
}

type NewState = Pick<CodeEditorProps, 'file' | 'text' | 'readOnly'> &
  Readonly<{ latest: { readonly current: Pick<CodeEditorProps, 'onChange' | 'onSave'> } }>;

function newState({ file, text, readOnly, latest }: NewState): EditorState {
  const setup = editorSetup({
    label: `${file}. ${readOnly ? 'Read-only.' : 'Escape, then Tab, leaves the editor.'}`,
    readOnly,
    onChange: (next) => latest.current.onChange(next),
    onSave: () => latest.current.onSave(),
  });
  return EditorState.create({ doc: text, extensions: [...setup] });
}

/** Keeps keys without Ctrl, Alt and Meta from the shortcuts of the page, which see the host instead of a text field. */
function useKeysOfItsOwn(host: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const element = host.current;
    const stop = (event: KeyboardEvent): void => {
      if (!event.ctrlKey && !event.altKey && !event.metaKey) event.stopPropagation();
    };
    element?.addEventListener('keydown', stop);
    return () => element?.removeEventListener('keydown', stop);
  }, [host]);
}
