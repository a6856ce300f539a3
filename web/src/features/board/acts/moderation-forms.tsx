import type { Decision, ModerationReason, Post, Reply } from '@hamlet/contract';
import { flagPost, moderatePost, MODERATION_NOTE_MAX_CHARS, MODERATION_REASONS } from '@hamlet/contract';
import { useState } from 'react';
import { shorten } from '@hamlet/core';
import { LinkButton, Notice } from '../../../ui/controls.tsx';
import { type FormDraft, useFormDraft } from '../../../client/drafts.ts';
import { useIntent } from '../../../client/query/use-live.ts';
import { ActionForm, SelectField, TextField } from '../../../ui/fields.tsx';
import { useVillage } from '../../village-context.ts';
import { REASON_LABELS } from '../board-labels.ts';

const DOES: Readonly<Record<Decision, { readonly word: string; readonly does: string }>> = {
  hide: { word: 'Hide', does: 'Only its author and admins still see it, with the reason. An admin can restore it.' },
  restore: { word: 'Restore', does: 'It returns to the board, for the same audience as before.' },
  keep: { word: 'Keep', does: 'Dismisses the flags. It stays on the board.' },
  undo: { word: 'Undo', does: 'Reverses the last decision. The audit keeps both.' },
};

type ModerateProps = Readonly<{ post: Post; reply: Reply | null; decision: Decision; onDone: () => void }>;

export function ModerateForm({ post, reply, decision, onDone }: ModerateProps) {
  const { board } = useVillage();
  const sending = useIntent();
  const of = reply ?? post;
  const grounds = useGrounds(
    { post, reply, act: decision, usual: of.moderation?.reason ?? 'off_topic' },
    sending.changed,
  );
  const send = async (): Promise<void> => {
    const body = { decision, ...grounds.body };
    const data = await sending.call(moderatePost, { params: { post_id: post.post_id }, body });
    if (data === null) return;
    grounds.forget();
    board.learn(data.post);
    if (data.reply !== null) board.learnReply(data.reply);
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
      <GroundsFields of={grounds.of} />
    </ActionForm>
  );
}

const short = (title: string): string => shorten(title, 32);

/** Flags a text for moderation, with a reason. With enough flags the text is hidden until an admin decides. */
export function FlagForm({ post, reply, onDone }: Omit<ModerateProps, 'decision'>) {
  const sending = useIntent();
  const grounds = useGrounds({ post, reply, act: 'flag', usual: 'spam' }, sending.changed);
  const [hidden, setHidden] = useState<boolean | null>(null);
  const send = async (): Promise<void> => {
    const data = await sending.call(flagPost, { params: { post_id: post.post_id }, body: grounds.body });
    if (data === null) return;
    grounds.forget();
    setHidden(data.hidden);
  };
  if (hidden !== null)
    return (
      <Notice tone="good" icon={null} end={<LinkButton word="Close" onClick={onDone} />}>
        Thank you. {hidden ? 'It stays hidden until an admin decides about it.' : 'An admin will decide about it.'}
      </Notice>
    );
  return (
    <ActionForm label="Flag" sending={sending} ready word="Flag it" onCancel={onDone} onSend={() => void send()}>
      <GroundsFields of={grounds.of} />
    </ActionForm>
  );
}

interface GroundsOf extends Omit<ModerateProps, 'decision' | 'onDone'> {
  readonly act: Decision | 'flag';
  readonly usual: ModerationReason;
}
type Grounds = Readonly<{ reason: ModerationReason; note: string }>;

function useGrounds({ post, reply, act, usual }: GroundsOf, onWrite: () => void) {
  const id = reply?.reply_id ?? post.post_id;
  const { draft, of, forget } = useFormDraft<Grounds>(`${act}-${id}`, { reason: usual, note: '' }, onWrite);
  const note = draft.note.trim();
  return {
    of,
    forget,
    body: { reason: draft.reason, note: note === '' ? null : note, reply_id: reply?.reply_id ?? null },
  };
}

function GroundsFields({ of }: Pick<FormDraft<Grounds>, 'of'>) {
  return (
    <>
      <SelectField
        label="Why"
        name="reason"
        {...of('reason')}
        options={MODERATION_REASONS.map((known) => [known, REASON_LABELS[known]] as const)}
      />
      <TextField label="Note (optional)" name="note" rows={2} maxLength={MODERATION_NOTE_MAX_CHARS} {...of('note')} />
    </>
  );
}
