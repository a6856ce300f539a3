import {
  type Decision,
  MODERATION_NOTE_MAX_CHARS,
  type ModerationReason,
  moderatePost,
  type Post,
  type Reply,
} from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useSend } from '../../../client/ask/use-send.ts';
import { ActionForm } from '../../../ui/action-form.tsx';
import { useVillage } from '../../village-context.ts';
import { ReasonFields } from './reason-fields.tsx';

const DOES: Readonly<Record<Decision, { readonly word: string; readonly does: string }>> = {
  hide: { word: 'Hide', does: 'Its author and admins still see it, with the reason. It can be brought back.' },
  restore: { word: 'Restore', does: 'It is on the board again, for whom it was meant.' },
  keep: { word: 'Keep', does: 'The flags are dismissed and it stays on the board.' },
  undo: { word: 'Undo', does: 'The last decision is taken back; both stay in the record.' },
};

interface ModerateProps {
  readonly post: Post;
  readonly reply: Reply | null;
  readonly decision: Decision;
  readonly onDone: () => void;
}

/** A decision about a post or reply, with its reason; the audit keeps both. */
export function ModerateForm({ post, reply, decision, onDone }: ModerateProps): ReactElement {
  const { api, board } = useVillage();
  const sending = useSend();
  const of = reply ?? post;
  const [reason, setReason] = useState<ModerationReason>(of.moderation?.reason ?? 'off_topic');
  const [note, setNote] = useState('');
  const send = async (): Promise<void> => {
    const body = { decision, reason, note: note.trim() === '' ? null : note.trim(), reply_id: reply?.reply_id ?? null };
    const answer = await sending.send((idempotencyKey) =>
      api.call(moderatePost, { params: { post_id: post.post_id }, body, idempotencyKey }),
    );
    if (answer?.ok !== true) return;
    board.learn(answer.data.post);
    if (answer.data.reply !== null) board.learnReply(answer.data.reply);
    onDone();
  };
  const { word, does } = DOES[decision];
  return (
    <ActionForm
      label={word}
      sending={sending}
      ready
      word={`${word}: ${reply === null ? `“${short(post.title)}”` : `reply of ${reply.author_name}`}`}
      danger={decision === 'hide'}
      onCancel={onDone}
      onSend={() => void send()}
    >
      <p className="hint">{does}</p>
      <ReasonFields reason={reason} onReason={setReason} note={note} onNote={setNote} max={MODERATION_NOTE_MAX_CHARS} />
    </ActionForm>
  );
}

function short(title: string): string {
  return title.length > 32 ? `${title.slice(0, 31)}…` : title;
}
