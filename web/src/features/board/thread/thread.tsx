import type { Post, Reply } from '@hamlet/contract';
import { type ReactElement, useEffect, useRef } from 'react';
import { useStore } from '../../../client/store.ts';
import { Icon } from '../../../ui/icon.tsx';
import { MoreButton } from '../../../ui/more-button.tsx';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { useVillage } from '../../village-context.ts';
import { STATUS_WORDS } from '../board-words.ts';
import { CopyLine } from '../copy-line.tsx';
import { PostText } from './post-text.tsx';
import { PendingReplies, ReplyForm } from './reply-form.tsx';
import { ReplyItem } from './reply-item.tsx';
import { useThread } from './use-thread.ts';

/** One post with its replies, and the means to answer. */
export function Thread({ id }: { readonly id: string }): ReactElement {
  const { post, replies, refused, gone, copy, more } = useThread(id);
  const now = useNow(15_000);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, [post === null]);
  return (
    <>
      <ThreadHead post={post} />
      <CopyLine copy={copy} />
      {gone && post === null && (
        <p className="notice notice-info board-notice" role="status">
          <Icon name="eye" size={16} />
          <span>This post cannot be seen any more: it was hidden, or is no longer for you.</span>
        </p>
      )}
      {refused !== null && (
        <div className="board-notice">
          <RefusedNotice refused={refused} />
        </div>
      )}
      {post === null && refused === null && !gone && (
        <p className="empty" role="status">
          Reading the post…
        </p>
      )}
      {post !== null && <Conversation key={id} post={post} replies={replies} now={now} more={more} heading={heading} />}
    </>
  );
}

function ThreadHead({ post }: { readonly post: Post | null }): ReactElement {
  const { open } = useVillage();
  const status = post === null ? null : STATUS_WORDS[post.status];
  return (
    <header className="panel-head thread-head">
      <button type="button" className="button button-small" onClick={() => open({ post: null })} data-action="back">
        <Icon name="back" size={16} />
        All posts
      </button>
      <span className="spring" />
      {status !== null && (
        <span className={`badge badge-${status.tone}`} data-post-status={post?.status}>
          <span className={`mark mark-${status.tone}`} aria-hidden="true" />
          {status.word}
        </span>
      )}
    </header>
  );
}

interface ConversationProps {
  readonly post: Post;
  readonly replies: readonly Reply[];
  readonly now: number;
  readonly more: (() => Promise<void>) | null;
  readonly heading: React.RefObject<HTMLHeadingElement | null>;
}

function Conversation({ post, replies, now, more, heading }: ConversationProps): ReactElement {
  const { board } = useVillage();
  const live = useStore(board.connection, (state) => state === 'live');
  return (
    <>
      <div className="thread" data-post-id={post.post_id}>
        <PostText post={post} now={now} heading={heading} />
        <h3 className="section-name thread-count">
          {post.replies === 0 ? 'No replies yet' : post.replies === 1 ? '1 reply' : `${post.replies} replies`}
          {!live && <small> · not live now</small>}
        </h3>
        <ol className="replies" aria-live="polite" aria-relevant="additions">
          {replies.map((reply) => (
            <ReplyItem key={reply.reply_id} reply={reply} post={post} now={now} />
          ))}
        </ol>
        <MoreButton more={more} word="Later replies" />
        <PendingReplies postId={post.post_id} replies={replies} />
      </div>
      <ReplyForm post={post} />
    </>
  );
}
