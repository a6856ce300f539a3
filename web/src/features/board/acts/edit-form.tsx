import {
  POST_BODY_MAX_CHARS,
  POST_TITLE_MAX_CHARS,
  type Post,
  type Reply,
  revisePost,
  reviseReply,
} from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useFormDraft } from '../../../client/drafts.ts';
import { useIntent } from '../../../client/query/use-intent.ts';
import { ActionForm } from '../../../ui/action-form.tsx';
import { LinkButton } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { useVillage } from '../../village-context.ts';
import { readTags, tagsText } from '../compose-draft.ts';

type EditProps = Readonly<{ post: Post; reply: Reply | null; onDone: () => void }>;

/**
 * Edits a post or reply. The draft keeps the revision that it began with: if another person changed the text since then,
 * the API refuses the edit, and the newer text appears above the form.
 */
export function EditForm({ post, reply, onDone }: EditProps): ReactElement {
  const { api, board } = useVillage();
  const sending = useIntent();
  const [stored] = useState(() => ({
    title: post.title,
    body: (reply ?? post).body,
    tags: tagsText(post.tags),
    revision: (reply ?? post).revision,
  }));
  const id = reply?.reply_id ?? post.post_id;
  const { draft, of, forget } = useFormDraft(`edit-${id}`, stored, sending.changed);
  const close = (): void => {
    forget();
    onDone();
  };
  const send = async (): Promise<void> => {
    const text = { revision: draft.revision, body: draft.body.trim() };
    if (reply === null) {
      const body = { ...text, title: draft.title.trim(), tags: readTags(draft.tags) };
      const answer = await sending.send((idempotencyKey) =>
        api.call(revisePost, { params: { post_id: post.post_id }, body, idempotencyKey }),
      );
      if (answer?.ok !== true) return;
      board.learn(answer.data.post);
    } else {
      const params = { post_id: post.post_id, reply_id: reply.reply_id };
      const answer = await sending.send((idempotencyKey) =>
        api.call(reviseReply, { params, body: text, idempotencyKey }),
      );
      if (answer?.ok !== true) return;
      board.learnReply(answer.data.reply);
    }
    close();
  };
  return (
    <ActionForm
      label="Edit"
      sending={sending}
      ready={draft.body.trim() !== '' && draft.title.trim() !== ''}
      word="Save"
      onCancel={onDone}
      onSend={() => void send()}
    >
      {reply === null && <TextField label="Title" name="title" maxLength={POST_TITLE_MAX_CHARS} {...of('title')} />}
      <TextField label="Text" name="body" rows={5} maxLength={POST_BODY_MAX_CHARS} {...of('body')} />
      {reply === null && <TextField label="Tags" name="tags" {...of('tags')} placeholder="question, help" />}
      {draft !== stored && <LinkButton word="Discard the changes" onClick={close} data-action="discard" />}
    </ActionForm>
  );
}
