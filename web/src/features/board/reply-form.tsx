import { type Post, POST_BODY_MAX_CHARS, type Reply, roleMay } from '@hamlet/contract';
import { type KeyboardEvent, type ReactElement, useEffect } from 'react';
import { useDraft } from '../../client/drafts.ts';
import { NO_TEXTS } from '../../client/outbox.ts';
import { useStore } from '../../client/store.ts';
import { Button, LinkButton } from '../../ui/controls.tsx';
import { RefusedNotice } from '../../ui/notices.tsx';
import { useRole, useVillage } from '../village-context.ts';
import { noReplyLabel } from './board-labels.ts';

type PendingRepliesProps = Readonly<{ postId: string; replies: readonly Reply[] }>;

/** The replies to a post that are being sent or were refused. A reply leaves this list as soon as the thread shows it. */
export function PendingReplies({ postId, replies }: PendingRepliesProps): ReactElement | null {
  const {
    board: { outbox },
  } = useVillage();
  const pending = useStore(outbox.state, (posts) => posts.get(postId) ?? NO_TEXTS);
  useEffect(
    () => outbox.seen(postId, new Set(replies.map((reply) => reply.reply_id))),
    [outbox, postId, replies, pending],
  );
  if (pending.length === 0) return null;
  return (
    <ol className="replies">
      {pending.map((entry) => (
        <li
          key={entry.id}
          className="reply reply-pending"
          data-pending={entry.refused === null ? 'sending' : 'refused'}
        >
          <p className="prose">{entry.body}</p>
          {entry.refused === null && (
            <p className="hint" role="status">
              <span className="spinner spinner-small" aria-hidden="true" /> On its way…
            </p>
          )}
          {entry.refused !== null && (
            <RefusedNotice refused={entry.refused}>
              <span className="button-row">
                <Button word="Send again" onClick={() => void outbox.again(postId, entry)} />
                <Button word="Discard" onClick={() => outbox.drop(postId, entry.id)} />
              </span>
            </RefusedNotice>
          )}
        </li>
      ))}
    </ol>
  );
}

/** The form for a reply, or the reason why the viewer cannot reply. Ctrl and Enter send it. */
export function ReplyForm({ post }: { readonly post: Post }): ReactElement {
  const {
    openSignIn,
    board: { outbox },
  } = useVillage();
  const role = useRole();
  const [text, setText] = useDraft(`reply-${post.post_id}`);
  const closed = noReplyLabel(post);
  const ready = text.trim() !== '';
  const send = (): void => {
    if (ready) {
      void outbox.add(post.post_id, text.trim());
      setText('');
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    }
  };
  if (closed !== null) return <p className="reply-form hint">{closed}</p>;
  if (!roleMay(role, 'board:write'))
    return (
      <p className="reply-form hint">
        You read as a visitor. <LinkButton word="Sign in" onClick={openSignIn} /> to reply.
      </p>
    );
  return (
    <form
      className="form reply-form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label className="sr-only" htmlFor="reply-text">
        Reply to {post.author_name}
      </label>
      <textarea
        id="reply-text"
        name="reply"
        rows={2}
        maxLength={POST_BODY_MAX_CHARS}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKey}
        placeholder={`Reply to ${post.author_name}`}
      />
      <Button look="strong" icon="send" word="Reply" type="submit" aria-disabled={!ready} title="Ctrl + Enter" />
    </form>
  );
}
