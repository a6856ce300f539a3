import {
  GIVEN_FILE_MAX_BYTES,
  GIVEN_FILES_MAX,
  type GivenFile,
  MESSAGE_MAX_CHARS,
  ONLY_FILES_TEXT,
  REPLY_MAX_CHARS,
} from '@hamlet/contract';
import { type ClipboardEvent, type KeyboardEvent, type ReactElement, useEffect, useRef } from 'react';
import { useDraft } from '../../client/drafts.ts';
import { Button, IconButton, Notice } from '../../ui/controls.tsx';
import { Form } from '../../ui/fields.tsx';
import { takeFocus } from '../../ui/take-focus.ts';
import { chipOf, FileChips } from '../given-files/file-chips.tsx';
import { type AttachedFiles, useAttachedFiles, useFileDrop } from '../given-files/use-attached-files.ts';
import { sizeLabel } from '../results/result-labels.ts';

interface ComposerProps {
  /** The name of the draft, which stays when the panel closes or the page is loaded again. */
  readonly draft: string;
  readonly to: string;
  readonly busy?: boolean;
  readonly focused: boolean;
  /** True if the text answers a question of the agent instead of being a message. */
  readonly answers?: boolean;
  /** Takes text and files; false keeps them. */
  readonly onSend: (text: string, files: readonly GivenFile[]) => boolean | Promise<boolean>;
  readonly stop?: ReactElement | null;
  readonly hint?: string | null;
}

/** The field for a message. Enter sends it, Shift+Enter begins a new line. */
export function Composer(props: ComposerProps) {
  const { draft, to, busy = false, focused, answers = false, onSend, stop = null, hint = null } = props;
  const [text, setText] = useDraft(draft);
  const field = useRef<HTMLTextAreaElement>(null);
  const attached = useAttachedFiles(draft);
  const { files } = attached;
  const isOver = useFileDrop(field, (chosen) => void attached.add(chosen));
  // A message with files begins work of its own, because an answer has no files.
  const { label, send: word, maxChars } = wordsOf(to, answers && files.length === 0);
  useEffect(() => {
    // On a phone the focus would open the keyboard over the conversation.
    if (focused && !isTouch()) takeFocus(field.current);
  }, [draft, focused]);
  const ready = (text.trim() !== '' || files.length > 0) && !busy;
  const send = async (): Promise<void> => {
    if (!ready || !(await onSend(text.trim() || ONLY_FILES_TEXT, files))) return;
    setText('');
    attached.clear();
  };
  const onKey = (event: KeyboardEvent): void => {
    // While an input method composes a character, Enter chooses the character.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || isTouch()) return;
    event.preventDefault();
    void send();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData.files;
    if (pasted.length === 0) return;
    event.preventDefault();
    void attached.add(pasted);
  };
  return (
    <Form className={isOver ? 'composer composer-over' : 'composer'} onSend={send}>
      <Hints {...{ to, answers, hint, isOver, attached }} />
      <div className="composer-row">
        <AttachButton attached={attached} />
        <textarea
          ref={field}
          name="message"
          rows={1}
          aria-label={label}
          maxLength={maxChars}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKey}
          onPaste={onPaste}
          placeholder={label}
        />
        {stop}
        <Button
          look="strong"
          icon="send"
          word={<span className="composer-word">{word}</span>}
          type="submit"
          aria-disabled={!ready}
          title="Send (Enter). Shift+Enter begins a new line"
        />
      </div>
    </Form>
  );
}

type HintsProps = Required<Pick<ComposerProps, 'to' | 'answers' | 'hint'>> &
  Readonly<{ isOver: boolean; attached: AttachedFiles }>;

/** Everything above the field: the effect of the message, and its files. */
function Hints({ to, answers, hint, isOver, attached }: HintsProps) {
  return (
    <>
      {answers && <p className="composer-answers">{answerHint(to, attached.files.length > 0)}</p>}
      {hint !== null && <p className="hint">{hint}</p>}
      {isOver && <p className="composer-drop">Drop the files to attach them.</p>}
      <Attached attached={attached} />
    </>
  );
}

function answerHint(to: string, withFiles: boolean): string {
  return withFiles
    ? `With files, this is a new message. ${to}’s question stays open.`
    : `Your answer goes to ${to}’s question.`;
}

/** The chosen files, and why others were not attached. */
function Attached({ attached: { files, problems, remove } }: { readonly attached: AttachedFiles }) {
  return (
    <>
      {problems.length > 0 && (
        <Notice tone="bad" data-problem="files">
          <ul className="notice-list">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      <FileChips
        files={files.map(chipOf)}
        onRemove={(at) => {
          const file = files[at];
          if (file !== undefined) remove(file);
        }}
      />
    </>
  );
}

const ATTACH = `Attach files (also by drop or paste): at most ${GIVEN_FILES_MAX} of ${sizeLabel(GIVEN_FILE_MAX_BYTES)} each`;

function AttachButton({ attached }: { readonly attached: AttachedFiles }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        name="files"
        multiple
        hidden
        onChange={(event) => {
          // A copy, because the list empties with the field, and the field must be empty to offer the same file again.
          const chosen = [...(event.target.files ?? [])];
          event.target.value = '';
          void attached.add(chosen);
        }}
      />
      <IconButton
        icon="attach"
        label="Attach files"
        title={ATTACH}
        onClick={() => input.current?.click()}
        data-action="attach"
      />
    </>
  );
}

function wordsOf(to: string, answers: boolean): Readonly<{ label: string; send: string; maxChars: number }> {
  return answers
    ? { label: `Answer to ${to}`, send: 'Answer', maxChars: REPLY_MAX_CHARS }
    : { label: `Message to ${to}`, send: 'Send', maxChars: MESSAGE_MAX_CHARS };
}

const isTouch = (): boolean => window.matchMedia('(pointer: coarse)').matches;
