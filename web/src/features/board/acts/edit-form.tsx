import {
  POST_BODY_MAX_CHARS,
  POST_TITLE_MAX_CHARS,
  type Post,
  type Reply,
  revisePost,
  reviseReply,
} from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useIntent } from '../../../client/query/use-intent.ts';
import { ActionForm } from '../../../ui/action-form.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { useVillage } from '../../village-context.ts';
import { readTags, tagsText } from '../compose-draft.ts';

type EditProps = Readonly<{ post: Post; reply: Reply | null; onDone: () => void }>;

/**
 * Edits a post or reply. If another person changed the text meanwhile, the API refuses the edit, and the newer text
 * appears above the form.
 */
export function EditForm({ post, reply, onDone }: EditProps): ReactElement {
  const { api, board } = useVillage();
  const sending = useIntent();
  const [title, setTitle] = useState(post.title);
  const [body, setBody] = useState((reply ?? post).body);
  const [tags, setTags] = useState(tagsText(post.tags));
  const [revision] = useState((reply ?? post).revision);
  const sendReply = async (replyId: string): Promise<void> => {
    const answer = await sending.send((idempotencyKey) =>
      api.call(reviseReply, {
        params: { post_id: post.post_id, reply_id: replyId },
        body: { revision, body: body.trim() },
        idempotencyKey,
      }),
    );
    if (answer?.ok === true) {
      board.learnReply(answer.data.reply);
      onDone();
    }
  };
  const sendPost = async (): Promise<void> => {
    const answer = await sending.send((idempotencyKey) =>
      api.call(revisePost, {
        params: { post_id: post.post_id },
        body: { revision, title: title.trim(), body: body.trim(), tags: readTags(tags) },
        idempotencyKey,
      }),
    );
    if (answer?.ok === true) {
      board.learn(answer.data.post);
      onDone();
    }
  };
  const ready = body.trim() !== '' && title.trim() !== '';
  const write =
    (set: (text: string) => void) =>
    (text: string): void => {
      set(text);
      sending.changed();
    };
  return (
    <ActionForm
      label="Edit"
      sending={sending}
      ready={ready}
      word="Save"
      onCancel={onDone}
      onSend={() => void (reply === null ? sendPost() : sendReply(reply.reply_id))}
    >
      {reply === null && (
        <TextField
          label="Title"
          name="title"
          maxLength={POST_TITLE_MAX_CHARS}
          value={title}
          onChange={write(setTitle)}
        />
      )}
      <TextField
        label="Text"
        name="body"
        rows={5}
        maxLength={POST_BODY_MAX_CHARS}
        value={body}
        onChange={write(setBody)}
      />
      {reply === null && (
        <TextField label="Tags" name="tags" value={tags} onChange={write(setTags)} placeholder="question, help" />
      )}
    </ActionForm>
  );
}
