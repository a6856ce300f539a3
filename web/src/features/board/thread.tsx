import type { CallData, Post, Reply } from '@hamlet/contract';
import { getPost, getPostDeliverable, POST_BODY_MAX_CHARS, roleMay, urlOf } from '@hamlet/contract';
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { Badge, Button, Icon, LinkButton, MoreButton, Notice, RefusedNotice, useNow } from '../../ui/controls.tsx';
import { Form } from '../../ui/fields.tsx';
import { takeFocus } from '../../ui/take-focus.ts';
import { useStore } from '../../client/store.ts';
import { useRole, useVillage } from '../village-context.ts';
import { freshReplies, noReplyLabel, STATUS_LABELS } from './board-labels.ts';
import { Byline, CopyLine, HiddenNotice } from './byline.tsx';
import { changeLabel } from '../../client/labels.ts';
import { ActForm, ActRow, type OpenAct } from './acts/act-row.tsx';
import { AudienceMark, PlaceName } from './post-list.tsx';
import type { Refused } from '../../client/api.ts';
import { usePages } from '../../client/query/use-live.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { OpenedPagesProvider, unopenedIn, useKeysOf } from '../citations/opened-pages.ts';
import { SourceList, UnopenedList } from '../citations/source-list.tsx';
import { ArtifactCard } from '../results/artifact-card.tsx';
import '../results/results.css';
import { useDraft } from '../../client/drafts.ts';
import { PendingTexts } from '../pending-texts.tsx';
import { useRead } from '../away/use-unread.ts';

const PENDING = { list: 'replies', item: 'reply reply-pending', hint: 'hint' };

/** The form for a reply, or the reason why the viewer cannot reply. Ctrl and Enter send it. */
function ReplyForm({ post }: { readonly post: Post }) {
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
    <Form className="reply-form" onSend={send}>
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
    </Form>
  );
}

export function Thread({ id }: { readonly id: string }) {
  const { post, replies, refused, gone, copy, more } = useThread(id);
  useRead('post', id, post === null ? 0 : replies.length + 1);
  const now = useNow(15_000);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    takeFocus(heading.current);
  }, [post === null]);
  return (
    <>
      <ThreadHead post={post} />
      <CopyLine copy={copy} />
      {gone && post === null && (
        <Notice tone="info" icon="eye" className="board-notice">
          You can no longer see this post: it was hidden, or its audience changed.
        </Notice>
      )}
      {refused !== null && (
        <div className="board-notice">
          <RefusedNotice refused={refused} />
        </div>
      )}
      {post === null && refused === null && !gone && (
        <p className="empty" role="status">
          Loading the post…
        </p>
      )}
      {post !== null && <Conversation key={id} post={post} replies={replies} now={now} more={more} heading={heading} />}
    </>
  );
}

function ThreadHead({ post }: { readonly post: Post | null }) {
  const { open } = useVillage();
  const status = post === null ? null : STATUS_LABELS[post.status];
  return (
    <header className="panel-head thread-head">
      <Button icon="back" word="All posts" onClick={() => open({ post: null })} data-action="back" />
      <span className="spring" />
      {status !== null && (
        <Badge tone={status.tone} data-post-status={post?.status}>
          {status.word}
        </Badge>
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

function Conversation({ post, replies, now, more, heading }: ConversationProps) {
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
        <PendingTexts
          outbox={board.outbox}
          placeId={post.post_id}
          shown={replies.map((reply) => reply.reply_id)}
          classes={PENDING}
        />
      </div>
      <ReplyForm post={post} />
    </>
  );
}

function ReplyItem({ reply, post, now }: Readonly<{ reply: Reply; post: Post; now: number }>) {
  const [act, setAct] = useState<OpenAct>(null);
  return (
    <li className="reply" data-reply-id={reply.reply_id} data-author={reply.author_id} data-status={reply.status}>
      <Byline of={reply} now={now} onHistory={() => setAct(act === 'history' ? null : 'history')} />
      <HiddenNotice of={reply} now={now} />
      <PublishedText of={reply} />
      {reply.rewarded !== '0' && (
        <p className="post-facts">
          <Rewarded amount={reply.rewarded} what="reply" />
        </p>
      )}
      <ActRow post={post} reply={reply} act={act} onAct={setAct} />
      <ActForm post={post} reply={reply} act={act} onAct={setAct} />
    </li>
  );
}

type TextProps = Readonly<{ post: Post; now: number; heading: RefObject<HTMLHeadingElement | null> }>;

/** The post itself, with its state and the acts on it. */
function PostText({ post, now, heading }: TextProps) {
  const [act, setAct] = useState<OpenAct>(null);
  return (
    <article className="post" data-status={post.status}>
      <h2 ref={heading} tabIndex={-1}>
        {post.title}
      </h2>
      <Byline of={post} now={now} onHistory={() => setAct(act === 'history' ? null : 'history')} />
      <HiddenNotice of={post} now={now} />
      <PublishedText of={post} />
      <PostDeliverables post={post} />
      <Facts post={post} />
      <ActRow post={post} reply={null} act={act} onAct={setAct} />
      <ActForm post={post} reply={null} act={act} onAct={setAct} />
    </article>
  );
}

function Facts({ post }: { readonly post: Post }) {
  const { open, goTo } = useVillage();
  const { place, tags, rewarded, audience } = post;
  if (place === null && tags.length === 0 && rewarded === '0' && audience === 'public') return null;
  return (
    <p className="post-facts">
      <AudienceMark post={post} />
      {place !== null && (
        <button type="button" className="link post-place" onClick={() => goTo(place)} title="Show on the map">
          <Icon name="pin" size={14} />
          <PlaceName place={place} />
        </button>
      )}
      {rewarded !== '0' && <Rewarded amount={rewarded} what="post" />}
      {tags.map((tag) => (
        <button
          key={tag}
          type="button"
          className="post-tag"
          onClick={() => open({ post: null, tag })}
          title={`Posts with #${tag}`}
        >
          #{tag}
        </button>
      ))}
    </p>
  );
}

function Rewarded({ amount, what }: Readonly<{ amount: string; what: 'post' | 'reply' }>) {
  return (
    <span
      className={amount.startsWith('-') ? 'entry-taken' : 'entry-given'}
      data-rewarded={amount}
      title={`Rewards less penalties for this ${what}`}
    >
      <Icon name="coin" size={14} /> {changeLabel(amount)}
    </span>
  );
}

/** Events arrive over the socket; requests at this interval find missed events. */
const REFRESH_MS = 60_000;
const AWAY_REFRESH_MS = 3000;
const PAGE = 100;
type Found = CallData<typeof getPost>;
const PAGES = {
  everyMs: ({ data, refused }: { data: { readonly first: Found } | null; refused: Refused | null }): number =>
    data?.first.copy !== undefined || refused?.status === 503 ? AWAY_REFRESH_MS : REFRESH_MS,
  list: 'replies',
  id: 'reply_id',
} as const;

/** If there is no post, `gone` or `refused` has the reason. */
function useThread(id: string) {
  const { board } = useVillage();
  const generation = useStore(board.state, (state) => state.generation);
  const known = useStore(board.state, (state) => state.posts.get(id));
  const knownReplies = useStore(board.state, (state) => state.replies.get(id));
  const { rows, first, refused, more } = usePages(
    getPost,
    { params: { post_id: id }, query: { limit: PAGE } },
    { ...PAGES, epoch: generation },
  );
  const replies = useMemo(() => freshReplies(rows ?? [], knownReplies), [rows, knownReplies]);
  return { post: known ?? first?.post ?? null, replies, refused, gone: known === null, copy: first?.copy, more };
}

/** A text of the board. If a run wrote it, its links are marked unless the run had opened them, and its sources stand below. */
function PublishedText({ of: { body, sources } }: { readonly of: Pick<Post | Reply, 'body' | 'sources'> }) {
  const opened = useKeysOf(sources ?? null);
  const unopened = unopenedIn(body, opened);
  return (
    <OpenedPagesProvider value={opened}>
      <Markdown text={body} />
      {((sources?.length ?? 0) > 0 || unopened.length > 0) && (
        <div className="answer-sources">
          {sources !== undefined && sources.length > 0 && (
            <>
              <h4>Sources</h4>
              <SourceList sources={sources} />
            </>
          )}
          <UnopenedList urls={unopened} />
        </div>
      )}
    </OpenedPagesProvider>
  );
}

function PostDeliverables({ post }: { readonly post: Post }) {
  const { post_id, deliverables = [] } = post;
  if (deliverables.length === 0) return null;
  return (
    <div className="artifacts">
      {deliverables.map((deliverable) => {
        const { artifact_id } = deliverable;
        const contentUrl = urlOf(getPostDeliverable, { params: { post_id, artifact_id } });
        return <ArtifactCard key={artifact_id} artifact={deliverable} contentUrl={contentUrl} />;
      })}
    </div>
  );
}
