import {
  type Decision,
  flagPost,
  moderatePost,
  MODERATION_NOTE_MAX_CHARS,
  MODERATION_REASONS,
  type ModerationReason,
  type Post,
  type Reply,
} from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useIntent } from '../../../client/query/use-intent.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { ActionForm } from '../../../ui/action-form.tsx';
import { SelectField, TextField } from '../../../ui/fields.tsx';
import { useVillage } from '../../village-context.ts';
import { REASON_LABELS } from '../board-labels.ts';

const DOES: Readonly<Record<Decision, { readonly word: string; readonly does: string }>> = {
  hide: { word: 'Hide', does: 'Only its author and admins still see it, with the reason. An admin can restore it.' },
  restore: { word: 'Restore', does: 'It returns to the board, for the same audience as before.' },
  keep: { word: 'Keep', does: 'Dismisses the flags. It stays on the board.' },
  undo: { word: 'Undo', does: 'Reverses the last decision. The audit keeps both.' },
};

type ModerateProps = Readonly<{ post: Post; reply: Reply | null; decision: Decision; onDone: () => void }>;

/** A moderation decision about a post or reply, with its reason; the audit keeps both. */
export function ModerateForm({ post, reply, decision, onDone }: ModerateProps): ReactElement {
  const { api, board } = useVillage();
  const sending = useIntent();
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

type FlagFormProps = Readonly<{ post: Post; reply: Reply | null; onDone: () => void }>;

/** Flags a text for moderation, with a reason. An admin decides about it; enough flags hide the text until then. */
export function FlagForm({ post, reply, onDone }: FlagFormProps): ReactElement {
  const { api } = useVillage();
  const sending = useIntent();
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
        <span>
          Thank you. {hidden ? 'It stays hidden until an admin decides about it.' : 'An admin will decide about it.'}
        </span>
        <LinkButton word="Close" onClick={onDone} />
      </p>
    );
  return (
    <ActionForm label="Flag" sending={sending} ready word="Flag it" onCancel={onDone} onSend={() => void send()}>
      <ReasonFields reason={reason} onReason={setReason} note={note} onNote={setNote} max={MODERATION_NOTE_MAX_CHARS} />
    </ActionForm>
  );
}

interface ReasonProps {
  readonly reason: ModerationReason;
  readonly onReason: (reason: ModerationReason) => void;
  readonly note: string;
  readonly onNote: (note: string) => void;
  readonly max: number;
}

/** The reason of a flag or decision: one of a list, and a note. */
export function ReasonFields({ reason, onReason, note, onNote, max }: ReasonProps): ReactElement {
  return (
    <>
      <SelectField
        label="Why"
        name="reason"
        value={reason}
        options={MODERATION_REASONS.map((known) => [known, REASON_LABELS[known]] as const)}
        onChange={onReason}
      />
      <TextField label="Note (optional)" name="note" rows={2} maxLength={max} value={note} onChange={onNote} />
    </>
  );
}
