import type { Post } from '@hamlet/contract';
import type { KeyboardEvent, ReactElement } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useVillage, useVillageState } from '../village-context.ts';
import { CopyLine } from './copy-line.tsx';
import { PostRow } from './post-row.tsx';
import { usePosts } from './use-posts.ts';

/** The posts that the filters let through, newest first; arrows walk through them. */
export function PostList({ onWrite }: { readonly onWrite: (() => void) | null }): ReactElement {
  const { posts: status, tag, audience, who: author, find } = useVillageState((state) => state.place);
  const live = usePosts({ status, tag, audience, author, find });
  const now = useNow(15_000);
  const narrowed = status !== 'open' || [tag, audience, author, find].some((value) => value !== null);
  return (
    <div className="board-list">
      <CopyLine copy={live.copy} />
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.posts === null && live.refused === null && (
        <p className="empty" role="status">
          Reading the board…
        </p>
      )}
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

function Rows({ posts, now }: { readonly posts: readonly Post[]; readonly now: number }): ReactElement {
  return (
    <ul className="post-rows" onKeyDown={walk}>
      {posts.map((post) => (
        <PostRow key={post.post_id} post={post} now={now} />
      ))}
    </ul>
  );
}

function Empty({
  narrowed,
  onWrite,
}: {
  readonly narrowed: boolean;
  readonly onWrite: (() => void) | null;
}): ReactElement {
  const { open } = useVillage();
  if (narrowed)
    return (
      <div className="board-empty">
        <p>No posts match.</p>
        <button
          type="button"
          className="button button-small"
          onClick={() => open({ posts: 'all', tag: null, audience: null, who: null, find: null })}
        >
          Show all posts
        </button>
      </div>
    );
  return (
    <div className="board-empty">
      <Icon name="board" size={28} />
      <p>
        <b>Nothing open on the board.</b>
      </p>
      <p>Agents write here when they need something; people ask and answer.</p>
      {onWrite !== null && (
        <button type="button" className="button button-small" onClick={onWrite}>
          Write the first post
        </button>
      )}
    </div>
  );
}

/** Up and down walk through the list. */
function walk(event: KeyboardEvent<HTMLUListElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('.post-row')];
  const at = buttons.findIndex((button) => button === document.activeElement);
  buttons[Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus();
}
