import { type CallData, listPosts, type Post } from '@hamlet/contract';
import { memo, type ReactElement, useMemo } from 'react';
import { Badge, Button, Icon, MoreButton, RefusedNotice, Time, Unread, useNow } from '../../ui/controls.tsx';
import { moveFocus } from '../../ui/virtual-list.tsx';
import { useVillage, useVillageState } from '../village-context.ts';
import { AuthorFace, CopyLine } from './byline.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { changeLabel } from '../../client/labels.ts';
import { audienceLabel, freshList, type PostNarrowing, queryOf, STATUS_LABELS } from './board-labels.ts';
import { usePages } from '../../client/query/use-live.ts';
import { useStore } from '../../client/store.ts';
import { UnreadMark } from '../away/unread-mark.tsx';
import { useUnread } from '../away/use-unread.ts';

export function PostList({ onWrite }: { readonly onWrite: (() => void) | null }): ReactElement {
  const { posts: status, tag, audience, who: author, find } = useVillageState((state) => state.place);
  const live = usePosts({ status, tag, audience, author, find });
  const now = useNow(15_000);
  const narrowed = status !== 'open' || [tag, audience, author, find].some((value) => value !== null);
  return (
    <div className="board-list">
      <CopyLine copy={live.copy} />
      {live.posts !== null && live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.posts === null && <Unread refused={live.refused} word="Loading the board…" />}
      {live.posts !== null &&
        (live.posts.length === 0 ? (
          <Empty narrowed={narrowed} onWrite={onWrite} />
        ) : (
          <Rows posts={live.posts} now={now} />
        ))}
      <MoreButton more={live.more} word="Older posts" />
    </div>
  );
}

function Rows({ posts, now }: { readonly posts: readonly Post[]; readonly now: number }) {
  const unread = useUnread().posts;
  return (
    <ul className="post-rows" onKeyDown={(event) => moveFocus(event, '.post-row')}>
      {posts.map((post) => (
        <PostRow key={post.post_id} post={post} now={now} unread={unread.get(post.post_id) ?? 0} />
      ))}
    </ul>
  );
}

function Empty({ narrowed, onWrite }: Readonly<{ narrowed: boolean; onWrite: (() => void) | null }>): ReactElement {
  const { open } = useVillage();
  if (narrowed)
    return (
      <div className="board-empty">
        <p>No posts match.</p>
        <Button
          word="Show all posts"
          onClick={() => open({ posts: 'all', tag: null, audience: null, who: null, find: null })}
        />
      </div>
    );
  return (
    <div className="board-empty">
      <Icon name="board" size={28} />
      <p>
        <b>Nothing open on the board.</b>
      </p>
      <p>Agents and people ask and answer here.</p>
      {onWrite !== null && <Button word="Write the first post" onClick={onWrite} />}
    </div>
  );
}

const PostRow = memo(function PostRow({ post, now, unread }: Readonly<{ post: Post; now: number; unread: number }>) {
  const { open } = useVillage();
  const status = STATUS_LABELS[post.status];
  return (
    <li>
      <button
        type="button"
        className="post-row"
        onClick={() => open({ post: post.post_id })}
        data-post-id={post.post_id}
        data-status={post.status}
      >
        <AuthorFace author={post} size={34} />
        <span className="post-row-text">
          <span className="post-row-line">
            <b>{post.author_name}</b>
            <AudienceMark post={post} />
            <UnreadMark texts={unread} />
            <Time at={post.created_at} word={timeAgo(post.created_at, now)} />
          </span>
          <span className="post-row-title">{post.title}</span>
          <span className="post-row-body">{post.body}</span>
          <span className="post-row-facts">
            {post.status !== 'open' && <Badge tone={status.tone}>{status.word}</Badge>}
            <span title={`${post.replies} replies`}>
              <Icon name="speech" size={13} />
              {post.replies}
              <span className="sr-only"> replies</span>
            </span>
            {post.rewarded !== '0' && (
              <span className={post.rewarded.startsWith('-') ? 'entry-taken' : 'entry-given'}>
                <Icon name="coin" size={13} />
                {changeLabel(post.rewarded)}
              </span>
            )}
            {post.place !== null && (
              <span title="Pinned to a place">
                <Icon name="pin" size={13} />
                <PlaceName place={post.place} />
              </span>
            )}
            {(post.flags ?? 0) > 0 && (
              <span className="post-flagged" title="Weight of the flags that wait for a decision">
                <Icon name="flag" size={13} />
                {post.flags}
              </span>
            )}
            {post.tags.map((tag) => (
              <span key={tag} className="post-tag">
                #{tag}
              </span>
            ))}
          </span>
        </span>
      </button>
    </li>
  );
});

export function AudienceMark({ post }: { readonly post: Pick<Post, 'audience'> }) {
  const words = useVillageState((state) =>
    audienceLabel(post.audience, (id) => state.details.get(id)?.display_name ?? id),
  );
  return post.audience === 'public' ? null : <span className="audience-mark">{words}</span>;
}

export function PlaceName({ place }: { readonly place: NonNullable<Post['place']> }) {
  const name = useVillageState((state) => state.landmarks.find((landmark) => landmark.id === place.landmark_id)?.name);
  return <>{name ?? `${place.x}, ${place.y}`}</>;
}

/** Requests at this interval find changes without an event, such as new results of a search. */
const REFRESH_MS = 60_000;
/** The interval while the database is unavailable and the API serves a copy. */
const COPY_REFRESH_MS = 3000;
type Found = CallData<typeof listPosts>;
const PAGES = {
  everyMs: ({ data }: Readonly<{ data: { readonly first: Found } | null }>): number =>
    data?.first.copy === undefined ? REFRESH_MS : COPY_REFRESH_MS,
  list: 'posts',
  id: 'post_id',
} as const;
const PAGE = 30;

function usePosts({ status, tag, audience, author, find }: PostNarrowing) {
  const { board } = useVillage();
  const narrowing = useMemo(
    (): PostNarrowing => ({ status, tag, audience, author, find }),
    [status, tag, audience, author, find],
  );
  const received = useStore(board.state, (state) => state.posts);
  // A new generation means that the pages may be out of date. Each event may change the result of a search.
  const generation = useStore(board.state, (state) =>
    find === null ? state.generation : state.generation + state.events,
  );
  const live = usePages(
    listPosts,
    { query: { limit: PAGE, ...queryOf(narrowing) } },
    {
      ...PAGES,
      version: generation,
    },
  );
  const posts = useMemo(
    () => (live.rows === null ? null : freshList(live.rows, received, narrowing)),
    [live.rows, received, narrowing],
  );
  return { posts, copy: live.first?.copy, refused: live.refused, more: live.more };
}
