import { MESSAGE_MAX_CHARS, REPLY_MAX_CHARS } from '@hamlet/contract';
import { type KeyboardEvent, type ReactElement, useEffect, useRef } from 'react';
import { useDraft } from '../../client/drafts.ts';
import { Button } from '../../ui/controls.tsx';
import { Form } from '../../ui/fields.tsx';
import { takeFocus } from '../../ui/take-focus.ts';

interface ComposerProps {
  /** The name of the draft, which stays when the panel closes or the page is loaded again. */
  readonly draft: string;
  readonly to: string;
  readonly busy?: boolean;
  readonly focused: boolean;
  /** True if the text answers a question of the agent instead of being a message. */
  readonly answers?: boolean;
  /** Takes the text; false keeps it in the field. */
  readonly onSend: (text: string) => boolean | Promise<boolean>;
  readonly stop?: ReactElement | null;
  readonly hint?: string | null;
}

/** The field for a message. Enter sends it, Shift and Enter begin a new line. */
export function Composer(props: ComposerProps) {
  const { draft, to, busy = false, focused, answers = false, onSend, stop = null, hint = null } = props;
  const { label, send: word, maxChars } = wordsOf(to, answers);
  const [text, setText] = useDraft(draft);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // On a phone the focus would open the keyboard over the conversation.
    if (focused && !isTouch()) takeFocus(field.current);
  }, [draft, focused]);
  const ready = text.trim() !== '' && !busy;
  const send = async (): Promise<void> => {
    if (ready && (await onSend(text.trim()))) setText('');
  };
  const onKey = (event: KeyboardEvent): void => {
    // While an input method composes a character, Enter chooses the character.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || isTouch()) return;
    event.preventDefault();
    void send();
  };
  return (
    <Form className="composer" onSend={send}>
      {answers && <p className="composer-answers">Your answer goes to {to}’s question.</p>}
      {hint !== null && <p className="hint">{hint}</p>}
      <div className="composer-row">
        <textarea
          ref={field}
          name="message"
          rows={1}
          aria-label={label}
          maxLength={maxChars}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKey}
          placeholder={label}
        />
        {stop}
        <Button
          look="strong"
          icon="send"
          word={<span className="composer-word">{word}</span>}
          type="submit"
          aria-disabled={!ready}
          title="Send (Enter). Shift and Enter begin a new line"
        />
      </div>
    </Form>
  );
}

function wordsOf(to: string, answers: boolean): Readonly<{ label: string; send: string; maxChars: number }> {
  return answers
    ? { label: `Answer to ${to}`, send: 'Answer', maxChars: REPLY_MAX_CHARS }
    : { label: `Message to ${to}`, send: 'Send', maxChars: MESSAGE_MAX_CHARS };
}

function isTouch(): boolean {
  return window.matchMedia('(pointer: coarse)').matches;
}
