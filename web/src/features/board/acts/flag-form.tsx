import { flagPost, MODERATION_NOTE_MAX_CHARS, type ModerationReason, type Post, type Reply } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useSend } from '../../../client/ask/use-send.ts';
import { ActionForm } from '../../../ui/action-form.tsx';
import { useVillage } from '../../village-context.ts';
import { ReasonFields } from './reason-fields.tsx';

/** Says why something should not be on the board. An admin looks at it; enough flags hide it until then. */
export function FlagForm({
  post,
  reply,
  onDone,
}: {
  readonly post: Post;
  readonly reply: Reply | null;
  readonly onDone: () => void;
}): ReactElement {
  const { api } = useVillage();
  const sending = useSend();
  const [reason, setReason] = useState<ModerationReason>('spam');
  const [note, setNote] = useState('');
  const [hidden, setHidden] = useState<boolean | null>(null);
  const send = async (): Promise<void> => {
    const body = { reason, note: note.trim() === '' ? null : note.trim(), reply_id: reply?.reply_id ?? null };
    const answer = await sending.send((idempotencyKey) =>
      api.call(flagPost, { params: { post_id: post.post_id }, body, idempotencyKey }),
    );
    if (answer?.ok === true) setHidden(answer.data.hidden);
  };
  if (hidden !== null)
    return (
      <p className="notice notice-good" role="status">
        <span>Thank you. {hidden ? 'It is hidden until an admin has looked at it.' : 'An admin will look at it.'}</span>
        <button type="button" className="link" onClick={onDone}>
          Close
        </button>
      </p>
    );
  return (
    <ActionForm label="Flag" sending={sending} ready word="Flag it" onCancel={onDone} onSend={() => void send()}>
      <ReasonFields reason={reason} onReason={setReason} note={note} onNote={setNote} max={MODERATION_NOTE_MAX_CHARS} />
    </ActionForm>
  );
}
