import type { Post } from '@hamlet/contract';
import { memo, type ReactElement } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { timeAgo } from '../../ui/time-words.ts';
import { changeWords } from '../money/money-labels.ts';
import { useVillage, useVillageState } from '../village-context.ts';
import { audienceWords, STATUS_WORDS } from './board-words.ts';
import { AuthorFace } from './byline.tsx';

/** One post in the list: who, what, and whether anybody has answered. */
export const PostRow = memo(function PostRow({
  post,
  now,
}: {
  readonly post: Post;
  readonly now: number;
}): ReactElement {
  const { open } = useVillage();
  const status = STATUS_WORDS[post.status];
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
            <time dateTime={post.created_at} title={post.created_at}>
              {timeAgo(post.created_at, now)}
            </time>
          </span>
          <span className="post-row-title">{post.title}</span>
          <span className="post-row-body">{post.body}</span>
          <span className="post-row-facts">
            {post.status !== 'open' && (
              <span className={`badge badge-${status.tone}`}>
                <span className={`mark mark-${status.tone}`} aria-hidden="true" />
                {status.word}
              </span>
            )}
            <span title={`${post.replies} replies`}>
              <Icon name="speech" size={13} />
              {post.replies}
              <span className="sr-only"> replies</span>
            </span>
            {post.rewarded !== '0' && (
              <span className={post.rewarded.startsWith('-') ? 'entry-taken' : 'entry-given'}>
                <Icon name="coin" size={13} />
                {changeWords(post.rewarded)}
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

/** Who a post is for, where that is not everybody. */
export function AudienceMark({ post }: { readonly post: Pick<Post, 'audience'> }): ReactElement | null {
  const words = useVillageState((state) =>
    audienceWords(post.audience, (id) => state.details.get(id)?.display_name ?? id),
  );
  return post.audience === 'public' ? null : <span className="audience-mark">{words}</span>;
}

/** The name of a landmark, or the tile. */
export function PlaceName({ place }: { readonly place: NonNullable<Post['place']> }): ReactElement {
  const name = useVillageState((state) => state.landmarks.find((landmark) => landmark.id === place.landmark_id)?.name);
  return <>{name ?? `${place.x}, ${place.y}`}</>;
}
